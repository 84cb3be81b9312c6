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
	Quiet   = 5 * time.Minute // without a repetition, after which an alarm of a transient kind ends
	Keep    = time.Hour       // how long an alarm is kept after its end
	Max     = 4096            // alarms, including ended ones
	MaxText = 512             // bytes of a text, and of an object's name; longer ones are truncated
)

// core is the set of alarms. It is pure: time is an argument.
type core struct {
	rows          map[netview.AlarmKey]*row
	changed       []netview.AlarmKey // rows to write at once
	countPending  []netview.AlarmKey // rows of which only the count has changed
	removed       []netview.AlarmKey
	countsWritten time.Time // time of the last write of counts
	active        int       // number of active rows
	levels        [3]int    // of those, by urgency; without AlarmLimit, which is never evicted
	dropped       uint64
	totals        map[netview.AlarmKind]uint64
}

// row is an alarm, and what of it is not yet in the view.
type row struct {
	netview.Alarm
	countStale bool // is in countPending
}

func newCore() *core {
	return &core{rows: make(map[netview.AlarmKey]*row), totals: make(map[netview.AlarmKind]uint64)}
}

// raise raises an alarm, and reports whether it is to be written at once.
func (c *core) raise(kind netview.AlarmKind, object, text string, now time.Time) bool {
	c.totals[kind]++
	key := netview.AlarmKey{Kind: kind, Object: object[:min(len(object), MaxText)]}
	r := c.rows[key]
	if r != nil && r.Active {
		r.Count++
		r.Last = now
		r.Text = cut(text)
		if !r.countStale {
			r.countStale = true
			c.countPending = append(c.countPending, key)
		}
		return false
	}
	if r == nil && !c.makeRoom(kind) {
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
	c.changed = append(c.changed, key)
	return true
}

// clear ends an alarm, and reports whether there was one.
func (c *core) clear(key netview.AlarmKey, now time.Time) bool {
	key.Object = key.Object[:min(len(key.Object), MaxText)]
	r := c.rows[key]
	if r == nil || !r.Active {
		return false
	}
	r.Active, r.Cleared = false, now
	c.activate(key.Kind, -1)
	c.changed = append(c.changed, key)
	return true
}

// makeRoom makes room for one more alarm if Max is reached: by removing the one that ended first,
// or, if none has, the oldest of the least urgent, if that is less urgent than the new one. So
// warnings, which others can raise by inventing names, do not evict the rest. One place is reserved
// for the alarm that says that the limit is reached.
func (c *core) makeRoom(kind netview.AlarmKind) bool {
	if len(c.rows) < Max-1 || kind == netview.AlarmLimit && len(c.rows) < Max {
		return true
	}
	if c.active == len(c.rows) && !slices.ContainsFunc(c.levels[:urgency(kind.Severity())], func(n int) bool { return n > 0 }) {
		return false // without a search: there may be a flood
	}
	var first *row
	for _, r := range c.rows {
		if (r.Kind != netview.AlarmLimit || !r.Active) && (first == nil || evictBefore(r, first)) {
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

// activate counts an alarm that starts or ends.
func (c *core) activate(kind netview.AlarmKind, by int) {
	c.active += by
	if kind != netview.AlarmLimit {
		c.levels[urgency(kind.Severity())] += by
	}
}

// evictBefore reports whether a is evicted before b.
func evictBefore(a, b *row) bool {
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
		case r.Active && key.Kind.Transient() && now.Sub(r.Last) >= Quiet:
			c.clear(key, now)
		case !r.Active && now.Sub(r.Cleared) >= Keep:
			c.remove(key)
		}
	}
	slices.SortFunc(c.changed, netview.AlarmKey.Compare) // map order is random
	slices.SortFunc(c.removed, netview.AlarmKey.Compare)
}

// pending returns what is to be written now. Counts wait for Refresh.
func (c *core) pending(now time.Time) (put []*netview.Alarm, remove []netview.AlarmKey) {
	keys := c.changed
	if now.Sub(c.countsWritten) >= Refresh {
		keys = append(keys, c.countPending...)
		for _, key := range c.countPending {
			if r := c.rows[key]; r != nil {
				r.countStale = false
			}
		}
		c.countPending, c.countsWritten = nil, now
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
	c.changed, c.removed = nil, nil
	return put, remove
}

// cut truncates a text to MaxText bytes, with a mark.
func cut(text string) string {
	const dots = "…"
	if len(text) <= MaxText {
		return text
	}
	return strings.ToValidUTF8(text[:MaxText-len(dots)], "") + dots
}
