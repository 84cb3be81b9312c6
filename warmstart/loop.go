package warmstart

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
)

// The pace of writing.
const (
	writeDelay    = 20 * time.Millisecond  // delay of a write after a quiet time
	writeInterval = 500 * time.Millisecond // between two turns, in the long run
	burst         = 20                     // turns that may come sooner, after as many intervals without one
	idleFactor    = 10                     // pause between two writes, in durations of a write
	retryDelay    = 5 * time.Second        // after a failed write
	seenInterval  = 5 * time.Minute        // if only the times at which hosts were seen changed
)

// Recorder writes the facts of a view to a file. Run's goroutine owns the file.
type Recorder struct {
	save   func(file []byte) error
	now    func() time.Time
	view   *netview.View
	alarms alarm.Sink

	sections  sections
	seen      netview.Revision // revision of the view
	buf       []byte
	lastSum   [sha256.Size]byte // of the last write, times at which hosts were seen left out
	lastWrite time.Time
	lastTurn  time.Time
	credit    time.Duration // at lastTurn: one turn costs writeInterval, and elapsed time adds to it
	writeTook time.Duration
	failed    bool
	err       error           // of the last write; nil if it succeeded
	requests  chan chan error // of WriteNow; Run answers
}

// New returns a recorder into a data directory. Tree returns one switch's part of the
// broadcast tree, false if it has none; it and alarms may be nil.
func New(dir string, view *netview.View, tree func(*netview.Snapshot, netview.DPID) (links, off []uint32, ok bool),
	alarms alarm.Sink) *Recorder {
	return NewTo(func(file []byte) error { return Save(dir, file) }, time.Now, view, tree, alarms)
}

// NewTo is New with another file and clock: save is given the whole file each time, valid during
// the call.
func NewTo(save func(file []byte) error, now func() time.Time, view *netview.View,
	tree func(*netview.Snapshot, netview.DPID) (links, off []uint32, ok bool), alarms alarm.Sink) *Recorder {
	r := &Recorder{requests: make(chan chan error), save: save, now: now, view: view, alarms: alarms}
	r.sections = sections{tree: tree, snap: netview.New(netview.Limits{}).Snapshot()}
	_, r.lastSum = r.sections.append(nil) // while no facts are known, the old file stays
	return r
}

// Part is the recorder in an instance that runs, or is stepped. It waits in a way of its own: for
// callers that want a write at once, and to retry a write that has failed.
func (r *Recorder) Part() *loop.Part {
	return &loop.Part{
		Name: "recorder", Own: r.Run, Behind: r.Waiting, After: r.Delay,
		Turn: func() time.Time { r.Turn(); return time.Time{} },
	}
}

// Run writes until the context ends, and then once more what has changed since.
func (r *Recorder) Run(ctx context.Context) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	again := time.NewTicker(retryDelay)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			r.end()
			return
		case <-again.C:
			r.retryWrite()
			continue
		case done := <-r.requests:
			done <- r.writeRequested()
			continue
		case <-r.view.Changed(r.seen):
		}
		pause.Reset(r.Delay())
		select {
		case <-ctx.Done():
			r.end()
			return
		case done := <-r.requests:
			done <- r.writeRequested()
		case <-pause.C:
			r.Turn()
		}
	}
}

// WriteNow writes the facts of the view to the file unconditionally, and waits for it. It returns
// the error of the write, or the context's. Run has to be running.
func (r *Recorder) WriteNow(ctx context.Context) error {
	done := make(chan error, 1)
	select {
	case r.requests <- done:
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

func (r *Recorder) writeRequested() error {
	r.lastTurn = r.now()
	snap := r.view.Snapshot()
	r.seen = snap.Revision()
	r.sections.reset(snap)
	r.sections.changed, r.lastSum = true, [sha256.Size]byte{}
	r.write()
	return r.err
}

// retryWrite repeats a failed write.
func (r *Recorder) retryWrite() {
	if r.failed {
		r.write()
	}
}

// end writes what has changed since the last turn.
func (r *Recorder) end() {
	r.sections.reset(r.view.Snapshot())
	r.write()
}

// Delay returns how long after Waiting first returns true Turn is to be called.
func (r *Recorder) Delay() time.Duration {
	since := r.now().Sub(r.lastTurn)
	return max(writeDelay, idleFactor*r.writeTook-since, writeInterval-r.creditAfter(since))
}

// creditAfter returns the credit a time after the last turn.
func (r *Recorder) creditAfter(since time.Duration) time.Duration {
	return min(r.credit+min(since, burst*writeInterval), burst*writeInterval)
}

// Waiting reports whether the view has changed.
func (r *Recorder) Waiting() bool { return r.view.Snapshot().Revision() != r.seen }

// Turn does one round of Run, for callers that drive the recorder themselves: it writes what has
// changed. A failed write is retried when something changes.
func (r *Recorder) Turn() {
	now := r.now()
	r.credit, r.lastTurn = max(0, r.creditAfter(now.Sub(r.lastTurn))-writeInterval), now
	changes, upto, snap, ok := r.view.Follow(r.seen, 1<<16)
	whole := ok && upto == snap.Revision()
	switch r.seen = snap.Revision(); {
	case !whole:
		r.sections.reset(snap)
	case relevant(changes):
		r.sections.update(snap, changes)
	case !r.failed:
		return
	}
	r.write()
}

// relevant reports whether a change is about stored facts.
func relevant(changes []netview.Change) bool {
	for i := range changes {
		switch changes[i].Kind {
		case netview.KindSwitch, netview.KindLink, netview.KindHost, netview.KindRule:
			return true
		}
	}
	return false
}

// write writes the current facts if they differ from those written last.
func (r *Recorder) write() {
	begun := r.now()
	lately := r.lastWrite.IsZero() || begun.Sub(r.lastWrite) < seenInterval
	if !r.sections.changed && lately {
		return
	}
	file, sum := r.sections.append(r.buf[:0])
	r.buf = file
	if sum == r.lastSum && lately {
		r.sections.changed = false
		return
	}
	err := r.save(file)
	r.writeTook, r.failed, r.err = r.now().Sub(begun), err != nil, err
	switch {
	case err == nil:
		r.lastSum, r.lastWrite, r.sections.changed = sum, begun, false
		if r.alarms != nil {
			r.alarms.Clear(netview.AlarmMemory, FileName)
		}
	case r.alarms != nil:
		r.alarms.Raise(netview.AlarmMemory, FileName,
			"what is known of the network cannot be written, and would be missed after a restart: "+err.Error())
	}
}
