package recall

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/weirnet/weir/netview"
)

// How lazily facts are written.
const (
	gather   = 500 * time.Millisecond // changes, from the first one
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
	dir    string
	view   *netview.View
	tree   func(*netview.Snapshot, netview.DPID) (links, off []uint32, ok bool)
	alarms Alarms

	buf    []byte
	stable [sha256.Size]byte // what was written last
	wrote  time.Time
	took   time.Duration
	failed bool
}

// New returns a recorder into a data directory. Tree is that of Take; alarms may be nil.
func New(dir string, view *netview.View, tree func(*netview.Snapshot, netview.DPID) (links, off []uint32, ok bool), alarms Alarms) *Recorder {
	_, stable := Append(nil, new(Facts))
	return &Recorder{dir: dir, view: view, tree: tree, alarms: alarms, stable: sha256.Sum256(stable)}
}

// Run writes until the context ends, and then once more what has changed since.
func (r *Recorder) Run(ctx context.Context) {
	var rev netview.Revision
	pause := time.NewTimer(0)
	defer pause.Stop()
	again := time.NewTicker(retry)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			r.write(r.view.Snapshot())
			return
		case <-again.C:
			if r.failed {
				r.write(r.view.Snapshot())
			}
			continue
		case <-r.view.Changed(rev):
		}
		pause.Reset(max(gather, share*r.took))
		select {
		case <-ctx.Done():
			r.write(r.view.Snapshot())
			return
		case <-pause.C:
		}
		changes, _, ok := r.view.Changes(rev, 1<<16)
		snap := r.view.Snapshot()
		if !ok || concern(changes) {
			r.write(snap)
		}
		rev = snap.Revision()
	}
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

// write writes the facts of a snapshot, if they are others than those written last.
func (r *Recorder) write(s *netview.Snapshot) {
	begun := time.Now()
	file, stable := Append(r.buf[:0], Take(s, r.tree))
	r.buf = file
	sum := sha256.Sum256(stable)
	if sum == r.stable && (r.wrote.IsZero() || begun.Sub(r.wrote) < seenLate) {
		return
	}
	err := save(r.dir, file)
	r.took, r.failed = time.Since(begun), err != nil
	switch {
	case err == nil:
		r.stable, r.wrote = sum, begun
		if r.alarms != nil {
			r.alarms.Clear(netview.AlarmMemory, FileName)
		}
	case r.alarms != nil:
		r.alarms.Raise(netview.AlarmMemory, FileName, "what is known of the network cannot be written, and would be missed after a restart: "+err.Error())
	}
}
