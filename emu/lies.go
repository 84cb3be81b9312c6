package emu

import (
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
)

// Lies are what a switch is made to do behind its controllers' backs. It answers barriers all the same.
type Lies struct {
	// DropFlowMods is the share of flow-mods, 0 to 1, that are thrown away unread.
	DropFlowMods float64
	// ForgetFlowMods has a flow-mod be checked, and refused if it is wrong; what it adds is not kept, what it changes or deletes
	// stays as it is.
	ForgetFlowMods bool
	// HideEntries is the share of flow entries, 0 to 1, that are left out of statistics: another one each time.
	HideEntries float64
}

// Lie makes the switch lie from now on; the zero value makes it honest.
func (sw *Switch) Lie(l Lies) {
	if l == (Lies{}) {
		sw.lies.Store(nil)
		return
	}
	sw.lies.Store(&l)
}

// Lies are those that the switch tells now.
func (sw *Switch) Lies() Lies {
	if l := sw.lies.Load(); l != nil {
		return *l
	}
	return Lies{}
}

// dropsFlowMod says whether a flow-mod is to be thrown away.
func (sw *Switch) dropsFlowMod() bool {
	l := sw.lies.Load()
	if l == nil || l.DropFlowMods == 0 {
		return false
	}
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.liar.float() >= l.DropFlowMods {
		return false
	}
	sw.engine.counts.drops[LostByLie].Add(1)
	return true
}

// flowMod does a flow-mod, or seems to. The lock is held.
func (sw *Switch) flowMod(v openflow.Version, m *openflow.FlowMod, now time.Duration, out flowtable.Output) error {
	l := sw.lies.Load()
	if l == nil || !l.ForgetFlowMods {
		return sw.table.FlowMod(v, m, now, out)
	}
	sw.engine.counts.drops[LostByLie].Add(1)
	return sw.table.CheckFlowMod(v, m, now)
}

// hide leaves entries out of an answer. The lock is held.
func (sw *Switch) hide(reply openflow.ReplyBody) {
	l := sw.lies.Load()
	if l == nil || l.HideEntries == 0 {
		return
	}
	if list, ok := reply.(*openflow.FlowStatsList); ok {
		list.Flows = slices.DeleteFunc(slices.Clone(list.Flows), func(openflow.FlowStats) bool { return sw.liar.float() < l.HideEntries })
	}
}
