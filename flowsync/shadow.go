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

// ShadowsMax bounds the shadows that a comparison lists of one switch; more are counted only.
const ShadowsMax = 20

// shadowCheckEvery is the shortest time between two checks of a switch's foreign entries.
const shadowCheckEvery = time.Second

// Shadow is a foreign entry that may take packets from a rule of ours.
type Shadow struct {
	Entry Entry
	Rule  *netview.Rule // the first one below it
}

// shadows lists at most most shadows and counts all: foreign entries in the table of a rule of
// ours, with a higher priority and an overlapping match.
func (sw *switchState) shadows(most int) (list []Shadow, n int) {
	if len(sw.foreign) == 0 {
		return nil, 0
	}
	tables := make(map[uint8][]*row)
	for _, key := range sortedKeys(sw.rows) {
		if w := sw.rows[key]; w.rule != nil && (key.priority > plan.PriorityMiss || hasGoto(w.rule)) {
			tables[key.table] = append(tables[key.table], w)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(sw.foreign), entryKey.compare) {
		e, rows := sw.foreign[key], tables[sw.ourKey(key).table]
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

// hasGoto reports whether a rule leads to the next table: packets that it does not get reach no
// rule of ours.
func hasGoto(r *netview.Rule) bool {
	return slices.ContainsFunc(r.Instructions,
		func(i openflow.Instruction) bool { return i.Type == openflow.InstructionGotoTable })
}

// markShadowsDirty schedules a check for shadows: foreign entries or rules have changed.
func (sw *switchState) markShadowsDirty() {
	sw.shadowsDirty = sw.shadowsDirty || len(sw.foreign) > 0 || sw.shadowText != ""
}

// checkShadows raises or clears the alarm that foreign entries shadow ours.
func (c *Core) checkShadows(sw *switchState, now time.Time) {
	if !sw.shadowsDirty || sw.phase != phaseReady {
		return
	}
	if at := sw.shadowsChecked.Add(shadowCheckEvery); !sw.shadowsChecked.IsZero() && at.After(now) {
		c.wakeAt(sw, at)
		return
	}
	sw.shadowsDirty, sw.shadowsChecked = false, now
	list, n := sw.shadows(1)
	if n == 0 {
		c.clearShadowAlarm(sw)
		return
	}
	text := fmt.Sprintf("entries of others stand above rules of ours and may take their packets: %d, the first %s",
		n, list[0].Entry.String())
	if text != sw.shadowText {
		sw.shadowText = text
		c.raise(netview.AlarmForeignRule, sw.dpid, text)
	}
}

// clearShadowAlarm clears the alarm.
func (c *Core) clearShadowAlarm(sw *switchState) {
	if sw.shadowText != "" {
		sw.shadowText = ""
		c.clear(netview.AlarmForeignRule, sw.dpid)
	}
}
