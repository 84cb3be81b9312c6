package ruleset

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Tag is the VLAN id by which packets are known on a link that have been tagged on their way: 1 to 4094. The
// zero Tag is none.
type Tag uint16

// TagMax is the largest tag.
const TagMax Tag = 4094

// tagMatch is the length of a match of a tag: one TLV.
const tagMatch = 4 + 2

// tagMatches are the canonical matches of all tags, one after the other.
var tagMatches = func() []byte {
	b := make([]byte, 0, (int(TagMax)+1)*tagMatch)
	for id := range uint16(TagMax) + 1 {
		vid := id | openflow.VLANPresent
		b = append(b, 0x80, 0x00, uint8(openflow.FieldVLANVID)<<1, 2, byte(vid>>8), byte(vid))
	}
	return b
}()

// Match returns the canonical match of the packets that carry a tag, whatever else is in them.
func (t Tag) Match() []byte {
	at := int(t) * tagMatch
	return tagMatches[at : at+tagMatch : at+tagMatch]
}

// Place is where a rule stands.
type Place struct {
	DPID     netview.DPID
	Match    []byte // canonical, without in_port
	In       uint32 // AnyPort: any
	Priority uint16
	Table    uint8 // makes no difference in the single-table form, unless it is exact
	Exact    bool
}

// Place returns the place of a rule: that of its leg and its hop's port in or, if the hop takes packets by a tag,
// that of the tag, above all that forwards by anything else.
func (s *Set) Place(rule int) Place {
	leg, hop := s.At(rule)
	return s.place(leg, hop)
}

func (s *Set) place(leg *Leg, hop *Hop) Place {
	if hop.Tag != 0 {
		return Place{hop.DPID, hop.Tag.Match(), hop.In, plan.PriorityTag, plan.TableAdmission, false}
	}
	return Place{hop.DPID, leg.Match, hop.In, s.Priority, s.Table, s.Policy == Desired}
}

// Way is a port that packets leave by, and the tag that they have then.
type Way struct {
	Port uint32
	Tag  Tag // 0: they leave as they came in
}

// Onto returns the behaviour of a rule for packets from port in that carry a tag (0: none of ours) and leave by some
// ports, each with the tag of that way: the first switch pushes it, outermost, the next ones write another id, and
// the last takes it off. OpenFlow 1.0 adds a tag only to packets that have none: there only such may come in.
func Onto(v openflow.Version, in uint32, came Tag, ways ...Way) *Behaviour {
	ways = slices.Clone(ways)
	slices.SortFunc(ways, func(a, b Way) int { return cmp.Or(cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Port, b.Port)) })
	bare := 0 // ways that leave without a tag
	for bare < len(ways) && ways[bare].Tag == 0 {
		bare++
	}
	var actions []openflow.Action
	output := func(ways []Way) {
		for _, w := range ways {
			if w.Tag != came {
				actions = appendTag(actions, v, came, w.Tag)
				came = w.Tag
			}
			port := w.Port
			if port == in {
				port = openflow.PortInPort
			}
			actions = append(actions, openflow.Output(port))
		}
	}
	if came == 0 {
		output(ways)
	} else {
		output(ways[bare:])
		output(ways[:bare])
	}
	return Do(in, []openflow.Instruction{openflow.Apply(actions...)})
}

// appendTag appends the actions that give packets a tag in place of another; 0: none.
func appendTag(actions []openflow.Action, v openflow.Version, from, to Tag) []openflow.Action {
	switch {
	case v == openflow.V10 && to == 0:
		return append(actions, openflow.Action{Type: openflow.ActionPopVLAN})
	case v == openflow.V10:
		return append(actions, openflow.Action{Type: openflow.ActionSetVLANVID, ID: uint32(to)})
	case to == 0:
		return append(actions, openflow.Action{Type: openflow.ActionPopVLAN})
	case from == 0:
		actions = append(actions, openflow.Action{Type: openflow.ActionPushVLAN, EtherType: etherTypeVLAN})
	}
	return append(actions, openflow.SetField(openflow.FieldVLANVID, uint64(uint16(to)|openflow.VLANPresent)))
}

const etherTypeVLAN = 0x8100

// Ways returns the ways by which packets leave at a hop, in the order of its actions, and the version of OpenFlow in
// whose way it writes tags: Onto, reversed. A hop that writes none has that of the version given.
func (h *Hop) Ways(otherwise openflow.Version) (ways []Way, v openflow.Version) {
	v = otherwise
	tag := h.Tag
	for i := range h.Do.instructions {
		for _, a := range h.Do.instructions[i].Actions {
			switch a.Type {
			case openflow.ActionPopVLAN:
				tag = 0
			case openflow.ActionSetVLANVID:
				tag, v = Tag(a.ID), openflow.V10
			case openflow.ActionSetField:
				if f, value, ok := a.Field(); ok && f == openflow.FieldVLANVID && len(value) == 2 {
					tag, v = Tag(binary.BigEndian.Uint16(value)&^openflow.VLANPresent), openflow.V13
				}
			case openflow.ActionOutput:
				port := a.Port
				if port == openflow.PortInPort {
					port = h.In
				}
				ways = append(ways, Way{port, tag})
			}
		}
	}
	return ways, v
}

// Joined returns a hop with the ways of two in one place; nil if the first has all of them.
func (h *Hop) Joined(other *Hop) *Hop {
	ways, v := h.Ways(openflow.V13)
	more, v := other.Ways(v)
	few := len(ways)
	for _, w := range more {
		if !slices.Contains(ways, w) {
			ways = append(ways, w)
		}
	}
	if len(ways) == few {
		return nil
	}
	return &Hop{DPID: h.DPID, In: h.In, Tag: h.Tag, Do: Onto(v, h.In, h.Tag, ways...)}
}
