package flowsync

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// ShadowsMax is how many foreign entries that shadow rules of ours a comparison lists of one switch; more are counted only.
const ShadowsMax = 20

// judgeEvery is the shortest time between two looks at a switch's foreign entries.
const judgeEvery = time.Second

// Shadow is an entry of others that may take packets from a rule of ours.
type Shadow struct {
	Entry Entry
	Rule  *netview.Rule // the first one that it stands above
}

// shadows lists the entries of others that may take packets from a rule of ours, not more than most, and counts all: they
// are in the same table, have a higher priority, and match something that the rule matches too.
func (l *ledger) shadows(most int) (list []Shadow, n int) {
	if len(l.foreign) == 0 {
		return nil, 0
	}
	tables := make(map[uint8][]*row)
	for _, key := range l.keys() {
		if w := l.rows[key]; w.rule != nil && (key.priority > plan.PriorityMiss || leads(w.rule)) {
			tables[key.table] = append(tables[key.table], w)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(l.foreign), entryKey.compare) {
		e, rows := l.foreign[key], tables[l.place(key).table]
		i := slices.IndexFunc(rows, func(w *row) bool {
			return key.priority > w.key.priority && e.Match.Overlaps(w.rule.Match)
		})
		if i < 0 {
			continue
		}
		if n++; len(list) < most {
			list = append(list, Shadow{*e, rows[i].rule})
		}
	}
	return list, n
}

// leads says whether a rule leads to the next table: what it does not get, no rule of ours gets.
func leads(r *netview.Rule) bool {
	return slices.ContainsFunc(r.Instructions, func(i openflow.Instruction) bool { return i.Type == openflow.InstructionGotoTable })
}

// unjudge has the foreign entries looked at again: they, or the rules beside them, have changed.
func (l *ledger) unjudge() {
	l.unjudged = l.unjudged || len(l.foreign) > 0 || l.shadowing != ""
}

// judge raises or ends the alarm that foreign entries shadow ours.
func (c *Core) judge(l *ledger, now time.Time) {
	if !l.unjudged || l.phase != phaseReady {
		return
	}
	if at := l.judged.Add(judgeEvery); !l.judged.IsZero() && at.After(now) {
		c.wakeAt(l, at)
		return
	}
	l.unjudged, l.judged = false, now
	list, n := l.shadows(1)
	if n == 0 {
		c.lit(l)
		return
	}
	text := fmt.Sprintf("entries of others stand above rules of ours and may take their packets: %d, the first %s", n, list[0].Entry.String())
	if text != l.shadowing {
		l.shadowing = text
		c.raise(netview.AlarmForeignRule, l.dpid, text)
	}
}

// lit ends the alarm.
func (c *Core) lit(l *ledger) {
	if l.shadowing != "" {
		l.shadowing = ""
		c.clear(netview.AlarmForeignRule, l.dpid)
	}
}
