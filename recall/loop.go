package recall

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/weirnet/weir/netview"
)

// How lazily facts are written.
const (
	soon     = 20 * time.Millisecond  // from a change on, where there was no turn for long: an address is told once
	gather   = 500 * time.Millisecond // changes, from one turn to the next, in the long run
	burst    = 20                     // turns that may come sooner, after as many times gather without one
	share    = 10                     // times as long as writing takes, between two
	retry    = 5 * time.Second        // after a write that failed
	seenLate = 5 * time.Minute        // for times at which hosts were seen, and nothing else
)

// Alarms takes what an operator should know. Its methods do not block.
type Alarms interface {
	Raise(kind netview.AlarmKind, object, text string)
	Clear(kind netview.AlarmKind, object string)
}

// Recorder writes the facts of a view to a file. Run's goroutine owns the file.
type Recorder struct {
	save   func(file []byte) error
	now    func() time.Time
	view   *netview.View
	alarms Alarms

	known  sections
	rev    netview.Revision // looked at
	buf    []byte
	stable [sha256.Size]byte // what was written last
	wrote  time.Time
	turned time.Time
	credit time.Duration // after that turn: one costs gather, and time gives it back
	took   time.Duration
	failed bool
	err    error           // of the last write; nil if it was done
	asks   chan chan error // for a write at once; Run answers
}

// New returns a recorder into a data directory. Tree tells of one switch's tree, false if it has none; it and alarms may be nil.
func New(dir string, view *netview.View, tree func(*netview.Snapshot, netview.DPID) (links, off []uint32, ok bool), alarms Alarms) *Recorder {
	return NewTo(func(file []byte) error { return save(dir, file) }, time.Now, view, tree, alarms)
}

// NewTo is New for a file that somebody else keeps, who is given all of it each time, valid during the call; with a clock of the
// caller's.
func NewTo(save func(file []byte) error, now func() time.Time, view *netview.View,
	tree func(*netview.Snapshot, netview.DPID) (links, off []uint32, ok bool), alarms Alarms) *Recorder {
	r := &Recorder{asks: make(chan chan error), save: save, now: now, view: view, alarms: alarms}
	r.known = sections{tree: tree, snap: netview.New(netview.Limits{}).Snapshot()}
	_, r.stable = r.known.append(nil) // as long as nothing is known, what was written before stays
	return r
}

// Run writes until the context ends, and then once more what has changed since.
func (r *Recorder) Run(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	again := time.NewTicker(retry)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			r.end()
			return
		case <-again.C:
			r.again()
			continue
		case done := <-r.asks:
			done <- r.atOnce()
			continue
		case <-r.view.Changed(r.rev):
		}
		pause.Reset(r.Gather())
		select {
		case <-ctx.Done():
			r.end()
			return
		case done := <-r.asks:
			done <- r.atOnce()
		case <-pause.C:
			r.Turn()
		}
	}
}

// WriteNow returns when the facts of the view are in the file, whatever was there, with the error if they could not be written, or the
// context's. Run does it.
func (r *Recorder) WriteNow(ctx context.Context) error {
	done := make(chan error, 1)
	select {
	case r.asks <- done:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (r *Recorder) atOnce() error {
	r.turned = r.now()
	snap := r.view.Snapshot()
	r.rev = snap.Revision()
	r.known.takeAll(snap)
	r.known.changed, r.stable = true, [sha256.Size]byte{}
	r.write()
	return r.err
}

// again writes what could not be written.
func (r *Recorder) again() {
	if r.failed {
		r.write()
	}
}

// end writes what has changed since the last turn.
func (r *Recorder) end() {
	r.known.takeAll(r.view.Snapshot())
	r.write()
}

// Gather is how long after Waiting first says so Turn is to be called.
func (r *Recorder) Gather() time.Duration {
	since := r.now().Sub(r.turned)
	return max(soon, share*r.took-since, gather-r.earned(since))
}

// earned is the credit so long after the last turn.
func (r *Recorder) earned(since time.Duration) time.Duration {
	return min(r.credit+min(since, burst*gather), burst*gather)
}

// Waiting says whether the view has changed.
func (r *Recorder) Waiting() bool { return r.view.Snapshot().Revision() != r.rev }

// Turn writes what has changed: one round of Run, for who steps a recorder that does not run. A write that failed is tried again
// when something changes.
func (r *Recorder) Turn() {
	now := r.now()
	r.credit, r.turned = max(0, r.earned(now.Sub(r.turned))-gather), now
	changes, upto, snap, ok := r.view.Follow(r.rev, 1<<16)
	whole := ok && upto == snap.Revision()
	switch r.rev = snap.Revision(); {
	case !whole:
		r.known.takeAll(snap)
	case concern(changes):
		r.known.take(snap, changes)
	case !r.failed:
		return
	}
	r.write()
}

// concern tells whether any change is of what is remembered.
func concern(changes []netview.Change) bool {
	for i := range changes {
		switch changes[i].Kind {
		case netview.KindSwitch, netview.KindLink, netview.KindHost, netview.KindRule:
			return true
		}
	}
	return false
}

// write writes the facts that were taken last, if they are others than those written last.
func (r *Recorder) write() {
	begun := r.now()
	lately := r.wrote.IsZero() || begun.Sub(r.wrote) < seenLate
	if !r.known.changed && lately {
		return
	}
	file, sum := r.known.append(r.buf[:0])
	r.buf = file
	if sum == r.stable && lately {
		r.known.changed = false
		return
	}
	err := r.save(file)
	r.took, r.failed, r.err = r.now().Sub(begun), err != nil, err
	switch {
	case err == nil:
		r.stable, r.wrote, r.known.changed = sum, begun, false
		if r.alarms != nil {
			r.alarms.Clear(netview.AlarmMemory, FileName)
		}
	case r.alarms != nil:
		r.alarms.Raise(netview.AlarmMemory, FileName, "what is known of the network cannot be written, and would be missed after a restart: "+err.Error())
	}
}
