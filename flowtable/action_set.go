package flowtable

import (
	"math/bits"
	"slices"

	"github.com/weirnet/weir/openflow"
)

// setOrder are the actions of an action set in the order in which they are done (OpenFlow 1.3,
// section 5.10). Set-fields, one a field, are done before slotQueue.
var setOrder = [...]openflow.ActionType{
	openflow.ActionCopyTTLIn, openflow.ActionPopVLAN, openflow.ActionPopMPLS, openflow.ActionPushMPLS,
	openflow.ActionPushVLAN, openflow.ActionCopyTTLOut, openflow.ActionDecMPLSTTL, openflow.ActionDecNwTTL,
	openflow.ActionSetMPLSTTL, openflow.ActionSetNwTTL, openflow.ActionSetQueue, openflow.ActionGroup, openflow.ActionOutput,
}

// The slots of an action set: the slot of an action that is not a set-field is its place in
// setOrder.
const (
	numSlots   = len(setOrder)
	slotQueue  = numSlots - 3
	slotGroup  = numSlots - 2
	slotOutput = numSlots - 1
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
		} else if slot := slices.Index(setOrder[:], a.Type); slot >= 0 {
			s.have |= 1 << slot
			s.slots[slot] = a
		}
	}
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
