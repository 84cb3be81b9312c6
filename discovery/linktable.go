package discovery

import (
	"slices"
	"time"

	"github.com/weirnet/weir/discovery/inventory"
	"github.com/weirnet/weir/netview"
)

// linkTable joins ports by links, and writes the links' rows: their states (indirect.go),
// latencies (latency.go) and widths (width.go).
type linkTable struct {
	*inventory.Transaction
	down inventory.Deadlines[downLink] // to delete the row
	narrowLinks
}

// add creates a link.
func (t *linkTable) add(src, dst *inventory.Port, near, unproven bool) *inventory.Link {
	e := &inventory.Link{Src: src, Dst: dst, Near: near, Created: t.Now, Unproven: unproven}
	src.Out = append(src.Out, e)
	dst.In = append(dst.In, e)
	return e
}

// remove takes a link down. The states of other links at its ports may have changed.
func (t *linkTable) remove(e *inventory.Link) {
	e.Src.Out = slices.DeleteFunc(e.Src.Out, func(o *inventory.Link) bool { return o == e })
	e.Dst.In = slices.DeleteFunc(e.Dst.In, func(o *inventory.Link) bool { return o == e })
	row, _ := t.Tx.Link(e.Key())
	t.put(e.Key(), false, row.State)
	t.down.Add(t.Now.Add(keepDownLink), downLink{e.Key(), t.Now})
	t.clearAlarm(e)
	t.setWidth(e, netview.WidthUnknown)
}

// restore adds the row of a link of the previous process.
func (t *linkTable) restore(e *inventory.Link) {
	t.Tx.PutLink(&netview.Link{LinkKey: e.Key(), Up: true, State: e.State(), Since: t.Now, Width: e.Width})
	if e.Width == netview.WidthNarrow {
		t.addNarrow(e)
	}
}

// restoreLost adds the row of a link that was lost in the previous process, for some time.
func (t *linkTable) restoreLost(l *netview.Link) {
	if _, there := t.Tx.Link(l.LinkKey); !there {
		t.Tx.PutLink(&netview.Link{LinkKey: l.LinkKey, State: l.State, Since: t.Now})
		t.down.Add(t.Now.Add(keepDownLink), downLink{l.LinkKey, t.Now})
	}
}

// put writes a link's row if it has changed.
func (t *linkTable) put(key netview.LinkKey, up bool, state netview.LinkState) {
	next := netview.Link{LinkKey: key, Since: t.Now}
	if old, ok := t.Tx.Link(key); ok {
		if old.Up == up && old.State == state {
			return
		}
		next = *old
		if old.Up != up {
			next.Since, next.MeasuredUS, next.Width = t.Now, 0, netview.WidthUnknown
		}
	}
	next.Up, next.State = up, state
	t.Tx.PutLink(&next)
}

// downLink is a link that went down at a time.
type downLink struct {
	key   netview.LinkKey
	since time.Time
}

// purge deletes the row of a link that has been down for long.
func (t *linkTable) purge(l downLink) {
	if row, ok := t.Tx.Link(l.key); ok && !row.Up && row.Since.Equal(l.since) {
		t.Tx.DeleteLink(l.key)
	}
}
