package alarm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/netview"
)

// The times and bounds of alarms.
const (
	Refresh = time.Second     // between two writes of an active alarm's count
	Quiet   = 5 * time.Minute // without another, after which an alarm of a kind that passes ends
	Keep    = time.Hour       // that an alarm stays after its end
	Max     = 4096            // alarms, those that have ended included
	MaxText = 512             // bytes of a text, and of an object's name; what is longer is cut
)

// core is the set of alarms. It is pure: time is an argument.
type core struct {
	rows    map[netview.AlarmKey]*row
	fresh   []netview.AlarmKey // to be written at once
	counted []netview.AlarmKey // of which only the count is behind
	removed []netview.AlarmKey
	wrote   time.Time // counts, the last time
	active  int       // of rows
	levels  [3]int    // of those, by urgency; without AlarmLimit, which makes room for nobody
	dropped uint64
	totals  map[netview.AlarmKind]uint64
}

// row is an alarm, and how far the view has it.
type row struct {
	netview.Alarm
	behind bool // is in counted
}

func newCore() *core {
	return &core{rows: make(map[netview.AlarmKey]*row), totals: make(map[netview.AlarmKind]uint64)}
}

// raise takes an alarm, and tells whether it is to be written at once.
func (c *core) raise(kind netview.AlarmKind, object, text string, now time.Time) bool {
	c.totals[kind]++
	key := netview.AlarmKey{Kind: kind, Object: object[:min(len(object), MaxText)]}
	r := c.rows[key]
	if r != nil && r.Active {
		r.Count++
		r.Last = now
		r.Text = cut(text)
		if !r.behind {
			r.behind = true
			c.counted = append(c.counted, key)
		}
		return false
	}
	if r == nil && !c.room(kind) {
		c.dropped++
		if kind != netview.AlarmLimit {
			c.raise(netview.AlarmLimit, "alarms", fmt.Sprintf("more than %d alarms: further ones are counted only", Max), now)
		}
		return false
	}
	c.rows[key] = &row{Alarm: netview.Alarm{
		AlarmKey: key, Severity: kind.Severity(), Text: cut(text), Since: now, Last: now, Count: 1, Active: true,
	}}
	c.activate(key.Kind, 1)
	c.fresh = append(c.fresh, key)
	return true
}

// clear ends an alarm, and tells whether there was one.
func (c *core) clear(key netview.AlarmKey, now time.Time) bool {
	key.Object = key.Object[:min(len(key.Object), MaxText)]
	r := c.rows[key]
	if r == nil || !r.Active {
		return false
	}
	r.Active, r.Cleared = false, now
	c.activate(key.Kind, -1)
	c.fresh = append(c.fresh, key)
	return true
}

// room makes room for one more if all are taken: by removing the one that ended first, or, if none has, the oldest of the
// least urgent, where that is less urgent than the new one. So what anybody can raise by inventing names (warnings) does not
// hide the rest. One place is kept for the alarm that says that there is none.
func (c *core) room(kind netview.AlarmKind) bool {
	if len(c.rows) < Max-1 || kind == netview.AlarmLimit && len(c.rows) < Max {
		return true
	}
	if c.active == len(c.rows) && !slices.ContainsFunc(c.levels[:urgency(kind.Severity())], func(n int) bool { return n > 0 }) {
		return false // without a look at all of them: there may be a flood
	}
	var first *row
	for _, r := range c.rows {
		if (r.Kind != netview.AlarmLimit || !r.Active) && (first == nil || sooner(r, first)) {
			first = r
		}
	}
	if first.Active {
		c.activate(first.Kind, -1)
		c.dropped++
	}
	c.remove(first.AlarmKey)
	return true
}

// activate counts an alarm that begins or ends.
func (c *core) activate(kind netview.AlarmKind, by int) {
	c.active += by
	if kind != netview.AlarmLimit {
		c.levels[urgency(kind.Severity())] += by
	}
}

// sooner tells which of two alarms makes room.
func sooner(a, b *row) bool {
	switch {
	case a.Active != b.Active:
		return b.Active
	case !a.Active:
		return before(a, b)
	case a.Severity != b.Severity:
		return urgency(a.Severity) < urgency(b.Severity)
	}
	return cmp.Or(a.Last.Compare(b.Last), a.AlarmKey.Compare(b.AlarmKey)) < 0
}

// urgency is 0 for the least urgent.
func urgency(s netview.Severity) int {
	switch s {
	case netview.SeverityCritical:
		return 2
	case netview.SeverityMajor:
		return 1
	}
	return 0
}

func before(a, b *row) bool {
	return cmp.Or(a.Cleared.Compare(b.Cleared), a.AlarmKey.Compare(b.AlarmKey)) < 0
}

func (c *core) remove(key netview.AlarmKey) {
	delete(c.rows, key)
	c.removed = append(c.removed, key)
}

// tick ends and removes what is due.
func (c *core) tick(now time.Time) {
	for key, r := range c.rows {
		switch {
		case r.Active && key.Kind.Passes() && now.Sub(r.Last) >= Quiet:
			c.clear(key, now)
		case !r.Active && now.Sub(r.Cleared) >= Keep:
			c.remove(key)
		}
	}
	slices.SortFunc(c.fresh, netview.AlarmKey.Compare) // rows are in no order
	slices.SortFunc(c.removed, netview.AlarmKey.Compare)
}

// take returns what is to be written now. Counts wait until Refresh has gone by.
func (c *core) take(now time.Time) (put []*netview.Alarm, remove []netview.AlarmKey) {
	keys := c.fresh
	if now.Sub(c.wrote) >= Refresh {
		keys = append(keys, c.counted...)
		for _, key := range c.counted {
			if r := c.rows[key]; r != nil {
				r.behind = false
			}
		}
		c.counted, c.wrote = nil, now
	}
	written := make(map[netview.AlarmKey]bool, len(keys))
	for _, key := range keys {
		if r := c.rows[key]; r != nil && !written[key] {
			written[key] = true
			copied := r.Alarm
			put = append(put, &copied)
		}
	}
	for _, key := range c.removed {
		if c.rows[key] == nil { // not raised again
			remove = append(remove, key)
		}
	}
	c.fresh, c.removed = nil, nil
	return put, remove
}

// cut is a text of at most MaxText bytes that says if it is not whole.
func cut(text string) string {
	const dots = "…"
	if len(text) <= MaxText {
		return text
	}
	return strings.ToValidUTF8(text[:MaxText-len(dots)], "") + dots
}
