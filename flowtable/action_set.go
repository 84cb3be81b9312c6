package flowtable

import (
	"math/bits"

	"github.com/weirnet/weir/openflow"
)

// The places of actions in an action set, in the order in which they are done (OpenFlow 1.3,
// section 5.10). After setSlot come the set-fields, one a field.
const (
	slotCopyTTLIn = iota
	slotPopVLAN
	slotPopMPLS
	slotPushMPLS
	slotPushVLAN
	slotCopyTTLOut
	slotDecMPLSTTL
	slotDecNwTTL
	slotSetMPLSTTL
	slotSetNwTTL
	slotQueue
	slotGroup
	slotOutput
	numSlots
	noSlot = numSlots
)

// actionSet is the action set of a packet: the last action written of each type, and of each field.
type actionSet struct {
	have   uint32 // bits of slots
	fields uint64 // bits of fields
	slots  [numSlots]*openflow.Action
	sets   [numFields]*openflow.Action
}

const numFields = int(openflow.FieldIPv6ExtHdr) + 1

func (s *actionSet) clear() { s.have, s.fields = 0, 0 }

// write adds actions. They must stay until the set is done.
func (s *actionSet) write(list []openflow.Action) {
	for i := range list {
		a := &list[i]
		if a.Type == openflow.ActionSetField {
			if f, _, ok := a.Field(); ok {
				s.fields |= 1 << f
				s.sets[f] = a
			}
		} else if slot := slotOf(a.Type); slot != noSlot {
			s.have |= 1 << slot
			s.slots[slot] = a
		}
	}
}

// slotOf is the place of an action that is not a set-field.
func slotOf(t openflow.ActionType) int {
	switch t {
	case openflow.ActionCopyTTLIn:
		return slotCopyTTLIn
	case openflow.ActionPopVLAN:
		return slotPopVLAN
	case openflow.ActionPopMPLS:
		return slotPopMPLS
	case openflow.ActionPushMPLS:
		return slotPushMPLS
	case openflow.ActionPushVLAN:
		return slotPushVLAN
	case openflow.ActionCopyTTLOut:
		return slotCopyTTLOut
	case openflow.ActionDecMPLSTTL:
		return slotDecMPLSTTL
	case openflow.ActionDecNwTTL:
		return slotDecNwTTL
	case openflow.ActionSetMPLSTTL:
		return slotSetMPLSTTL
	case openflow.ActionSetNwTTL:
		return slotSetNwTTL
	case openflow.ActionSetQueue:
		return slotQueue
	case openflow.ActionGroup:
		return slotGroup
	case openflow.ActionOutput:
		return slotOutput
	}
	return noSlot
}

// ends reports whether the set sends the packet anywhere. If not, nothing of it is done at all.
func (s *actionSet) ends() bool { return s.have&(1<<slotGroup|1<<slotOutput) != 0 }

// appendOrdered appends the actions in the order in which they are done. Where there is a group, it
// takes the place of the output.
func (s *actionSet) appendOrdered(list []*openflow.Action) []*openflow.Action {
	for i := range slotQueue {
		if s.have>>i&1 != 0 {
			list = append(list, s.slots[i])
		}
	}
	for rest := s.fields; rest != 0; rest &= rest - 1 {
		list = append(list, s.sets[bits.TrailingZeros64(rest)])
	}
	for i := slotQueue; i < numSlots; i++ {
		if s.have>>i&1 != 0 && !(i == slotOutput && s.have>>slotGroup&1 != 0) {
			list = append(list, s.slots[i])
		}
	}
	return list
}

// runSet does the action set of a packet that has left the tables. It is empty afterwards.
func (p *pass) runSet() {
	if !p.set.ends() {
		return
	}
	p.inSet = true
	p.s.ordered = p.set.appendOrdered(p.s.ordered[:0])
	p.set.clear()
	for _, a := range p.s.ordered {
		if p.done {
			return
		}
		p.act(a)
	}
}
