package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
)

// linkTable joins ports by links, and writes the links' rows: their states (indirect.go) and
// latencies (latency.go).
type linkTable struct {
	*transaction
	down deadlines[downLink] // to delete the row
}

// link is what the core keeps of a link that is up, besides its row.
type link struct {
	src, dst        *port
	transits        *transitTimes     // nil before the first measurement
	missed          int               // periodic probes sent since it was last heard
	heardCount      int               // since both ends are connected, up to 2
	created         time.Time         // when it was first heard
	lastHeard       time.Time         // time
	near            bool              // near probes pass; true until minFarStreak is reached
	farStreak       int               // far probes heard since the last near one, up to minFarStreak
	alarm           netview.AlarmKind // the alarm raised for it
	unproven        bool              // it appeared without a change of carrier (unproven.go)
	bytesAtLastMiss [2]uint64         // bytes received from source and destination when missed reached missedProbes
}

func (e *link) key() netview.LinkKey { return netview.LinkKey{Src: e.src.at, Dst: e.dst.at} }

// bothConnected reports whether the sessions of both ends are up: only then is silence evidence.
func (e *link) bothConnected() bool { return e.src.device.connected && e.dst.device.connected }

// linkEnds are the links of a port.
type linkEnds struct{ out, in []*link }

// links returns the links from and to a port.
func (e *linkEnds) links() []*link { return slices.Concat(e.out, e.in) }

// add creates a link.
func (t *linkTable) add(src, dst *port, near, unproven bool) *link {
	e := &link{src: src, dst: dst, near: near, created: t.now, unproven: unproven}
	src.out = append(src.out, e)
	dst.in = append(dst.in, e)
	return e
}

// remove takes a link down. The states of other links at its ports may have changed.
func (t *linkTable) remove(e *link) {
	e.src.out = slices.DeleteFunc(e.src.out, func(o *link) bool { return o == e })
	e.dst.in = slices.DeleteFunc(e.dst.in, func(o *link) bool { return o == e })
	row, _ := t.tx.Link(e.key())
	t.put(e.key(), false, row.State)
	t.down.add(t.now.Add(keepDownLink), downLink{e.key(), t.now})
	t.clearAlarm(e)
}

// restoreLost adds the row of a link that was lost in the previous process, for some time.
func (t *linkTable) restoreLost(l *netview.Link) {
	if _, there := t.tx.Link(l.LinkKey); !there {
		t.tx.PutLink(&netview.Link{LinkKey: l.LinkKey, State: l.State, Since: t.now})
		t.down.add(t.now.Add(keepDownLink), downLink{l.LinkKey, t.now})
	}
}

// put writes a link's row if it has changed.
func (t *linkTable) put(key netview.LinkKey, up bool, state netview.LinkState) {
	next := netview.Link{LinkKey: key, Since: t.now}
	if old, ok := t.tx.Link(key); ok {
		if old.Up == up && old.State == state {
			return
		}
		next = *old
		if old.Up != up {
			next.Since, next.MeasuredUS = t.now, 0
		}
	}
	next.Up, next.State = up, state
	t.tx.PutLink(&next)
}

// downLink is a link that went down at a time.
type downLink struct {
	key   netview.LinkKey
	since time.Time
}

// purge deletes the row of a link that has been down for long.
func (t *linkTable) purge(l downLink) {
	if row, ok := t.tx.Link(l.key); ok && !row.Up && row.Since.Equal(l.since) {
		t.tx.DeleteLink(l.key)
	}
}

// linkTo returns the link from p to q, or nil.
func (p *port) linkTo(q *port) *link {
	if i := slices.IndexFunc(p.out, func(e *link) bool { return e.dst == q }); i >= 0 {
		return p.out[i]
	}
	return nil
}
