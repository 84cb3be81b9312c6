package emu

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/emu/random"
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

// misbehaving is the present misbehaviour of a switch. It may be set at any time; what is drawn at random is guarded by
// the switch's lock.
type misbehaving struct {
	present atomic.Pointer[Misbehaviour]
	random  random.Source
	counts  *counts
}

// Misbehave sets the switch's misbehaviour; the zero value ends it.
func (sw *Switch) Misbehave(l Misbehaviour) {
	if l == (Misbehaviour{}) {
		sw.misbehaviour.present.Store(nil)
		return
	}
	sw.misbehaviour.present.Store(&l)
}

// Misbehaviour is the switch's present misbehaviour.
func (sw *Switch) Misbehaviour() Misbehaviour {
	if l := sw.misbehaviour.present.Load(); l != nil {
		return *l
	}
	return Misbehaviour{}
}

// drops reports whether a flow-mod is to be thrown away; lock is the switch's.
func (m *misbehaving) drops(lock sync.Locker) bool {
	l := m.present.Load()
	if l == nil || l.DropFlowMods == 0 {
		return false
	}
	lock.Lock()
	defer lock.Unlock()
	if m.random.Float() >= l.DropFlowMods {
		return false
	}
	m.counts.drops[LostByMisbehaviour].Add(1)
	return true
}

// forgets reports whether a flow-mod is to be checked only.
func (m *misbehaving) forgets() bool {
	l := m.present.Load()
	if l == nil || !l.ForgetFlowMods {
		return false
	}
	m.counts.drops[LostByMisbehaviour].Add(1)
	return true
}

// hide leaves entries out of an answer. The switch's lock is held.
func (m *misbehaving) hide(reply openflow.ReplyBody) {
	l := m.present.Load()
	if l == nil || l.HideEntries == 0 {
		return
	}
	if list, ok := reply.(*openflow.FlowStatsList); ok {
		list.Flows = slices.DeleteFunc(slices.Clone(list.Flows),
			func(openflow.FlowStats) bool { return m.random.Float() < l.HideEntries })
	}
}
