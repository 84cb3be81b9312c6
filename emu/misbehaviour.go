package emu

import (
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
)

// Misbehaviour is a fault of a switch that its controllers are not told about. Barriers are
// answered all the same.
type Misbehaviour struct {
	// DropFlowMods is the share of flow-mods, 0 to 1, that are thrown away unread.
	DropFlowMods float64
	// ForgetFlowMods has a flow-mod be checked, and refused if it is wrong; what it adds is not
	// kept, what it changes or deletes stays as it is.
	ForgetFlowMods bool
	// HideEntries is the share of flow entries, 0 to 1, that are left out of statistics: another
	// one each time.
	HideEntries float64
}

// Misbehave sets the switch's misbehaviour; the zero value ends it.
func (sw *Switch) Misbehave(l Misbehaviour) {
	if l == (Misbehaviour{}) {
		sw.misbehaviour.Store(nil)
		return
	}
	sw.misbehaviour.Store(&l)
}

// Misbehaviour is the switch's present misbehaviour.
func (sw *Switch) Misbehaviour() Misbehaviour {
	if l := sw.misbehaviour.Load(); l != nil {
		return *l
	}
	return Misbehaviour{}
}

// dropsFlowMod reports whether a flow-mod is to be thrown away.
func (sw *Switch) dropsFlowMod() bool {
	l := sw.misbehaviour.Load()
	if l == nil || l.DropFlowMods == 0 {
		return false
	}
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.misbehaviourRandom.Float() >= l.DropFlowMods {
		return false
	}
	sw.engine.counts.drops[LostByMisbehaviour].Add(1)
	return true
}

// flowMod applies a flow-mod, or pretends to. The lock is held.
func (sw *Switch) flowMod(v openflow.Version, m *openflow.FlowMod, now time.Duration, out flowtable.Output) error {
	l := sw.misbehaviour.Load()
	if l == nil || !l.ForgetFlowMods {
		return sw.table.FlowMod(v, m, now, out)
	}
	sw.engine.counts.drops[LostByMisbehaviour].Add(1)
	return sw.table.CheckFlowMod(v, m, now)
}

// hide leaves entries out of an answer. The lock is held.
func (sw *Switch) hide(reply openflow.ReplyBody) {
	l := sw.misbehaviour.Load()
	if l == nil || l.HideEntries == 0 {
		return
	}
	if list, ok := reply.(*openflow.FlowStatsList); ok {
		list.Flows = slices.DeleteFunc(slices.Clone(list.Flows),
			func(openflow.FlowStats) bool { return sw.misbehaviourRandom.Float() < l.HideEntries })
	}
}
