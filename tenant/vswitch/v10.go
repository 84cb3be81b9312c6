package vswitch

import (
	"encoding/binary"
	"fmt"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// variant is a part of an entry: some of its packets, and what is done with them.
type variant struct {
	match openflow.Match
	do    []openflow.Instruction
}

// in13 returns the entries of OpenFlow 1.3 that do together what one of OpenFlow 1.0 does: two, of packets with a VLAN tag
// and without, where its actions set or strip one and the match does not say which. The error is a *flowtable.Error: what
// an action does depends on what no other match of the same priority can tell.
func in13(match openflow.Match, list []openflow.Instruction) ([]variant, error) {
	k := knownOf(&match)
	if k.tag != tagUnknown || !usesTag(list) {
		do, err := k.instructions(list)
		return []variant{{match, do}}, err
	}
	var both []variant
	for _, tag := range []tagState{untagged, tagged} {
		part := k
		part.tag = tag
		do, err := part.instructions(list)
		if err != nil {
			return nil, err
		}
		m := openflow.Match{OXM: append([]byte(nil), match.OXM...)}
		if tag == untagged {
			m.SetUint(openflow.FieldVLANVID, 0)
		} else {
			m.SetUintMasked(openflow.FieldVLANVID, uint64(openflow.VLANPresent), uint64(openflow.VLANPresent))
		}
		both = append(both, variant{m.Canonical(), do})
	}
	return both, nil
}

// usesTag reports whether what actions do depends on whether a packet has a tag.
func usesTag(list []openflow.Instruction) bool {
	for i := range list {
		for _, a := range list[i].Actions {
			switch a.Type {
			case openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP, openflow.ActionPopVLAN:
				return true
			}
		}
	}
	return false
}

// tagState is what is known of a packet's outermost VLAN tag.
type tagState uint8

const (
	tagUnknown tagState = iota
	untagged
	tagged
)

// known is what is known of an entry's packets.
type known struct {
	tag              tagState
	etherType, proto int // -1 if they are not known
}

func knownOf(m *openflow.Match) known {
	k := known{etherType: -1, proto: -1}
	if v, mask, ok := m.Lookup(openflow.FieldVLANVID); ok && len(v) == 2 {
		const present = byte(openflow.VLANPresent >> 8)
		switch {
		case mask != nil && mask[0]&present == 0:
		case v[0]&present != 0:
			k.tag = tagged
		default:
			k.tag = untagged
		}
	}
	if v, mask, ok := m.Lookup(openflow.FieldEthType); ok && mask == nil && len(v) == 2 {
		k.etherType = int(binary.BigEndian.Uint16(v))
	}
	if v, mask, ok := m.Lookup(openflow.FieldIPProto); ok && mask == nil && len(v) == 1 {
		k.proto = int(v[0])
	}
	return k
}

// instructions returns instructions as OpenFlow 1.3 has them.
func (k known) instructions(list []openflow.Instruction) ([]openflow.Instruction, error) {
	own := make([]openflow.Instruction, len(list))
	for i := range list {
		own[i] = list[i]
		own[i].Actions = nil
		for n := range list[i].Actions {
			var err error
			if own[i].Actions, err = k.append(own[i].Actions, &list[i].Actions[n]); err != nil {
				return nil, err
			}
		}
	}
	return own, nil
}

// append appends what OpenFlow 1.3 has for an action of 1.0, and follows what it does. What does nothing is left out.
func (k *known) append(own []openflow.Action, a *openflow.Action) ([]openflow.Action, error) {
	switch a.Type {
	case openflow.ActionSetVLANVID, openflow.ActionSetVLANPCP:
		switch k.tag {
		case tagUnknown:
			return nil, unsayable("%s after strip_vlan: there may be a second tag", a.Type)
		case untagged:
			own = append(own, openflow.Action{Type: openflow.ActionPushVLAN, EtherType: packet.TypeVLAN})
		}
		k.tag = tagged
		if a.Type == openflow.ActionSetVLANPCP {
			return append(own, openflow.SetField(openflow.FieldVLANPCP, uint64(a.ID))), nil
		}
		return append(own, openflow.SetField(openflow.FieldVLANVID, uint64(openflow.VLANPresent)|uint64(a.ID))), nil
	case openflow.ActionPopVLAN:
		switch k.tag {
		case tagUnknown:
			return nil, unsayable("strip_vlan twice: there may be a second tag")
		case untagged:
			return own, nil
		}
		k.tag = tagUnknown
	case openflow.ActionEnqueue:
		// a tenant's ports have no queues; for the port that a packet came in by, none is an error
		return append(own, openflow.Output(a.Port)), nil
	case openflow.ActionSetField:
		f, _, _ := a.Field()
		return k.appendSet(own, a, f)
	}
	return append(own, *a), nil
}

// appendSet appends a set-field. The ports of OpenFlow 1.0 are those of any transport.
func (k *known) appendSet(own []openflow.Action, a *openflow.Action, f openflow.Field) ([]openflow.Action, error) {
	transport := f == openflow.FieldTCPSrc || f == openflow.FieldTCPDst
	ip := k.etherType == int(packet.TypeIPv4) || k.etherType == int(packet.TypeIPv6)
	switch {
	case f == openflow.FieldEthSrc, f == openflow.FieldEthDst:
		return append(own, *a), nil
	case k.etherType < 0:
		return nil, unsayable("%s of packets whose Ethernet type the match does not say", a)
	case f == openflow.FieldIPDSCP && ip, !transport && k.etherType == int(packet.TypeIPv4):
		return append(own, *a), nil
	case !transport || !ip:
		return own, nil
	case k.proto < 0:
		return nil, unsayable("%s of packets whose protocol the match does not say", a)
	}
	_, value, _ := a.Field()
	switch uint8(k.proto) {
	case packet.ProtoTCP:
	case packet.ProtoUDP:
		f += openflow.FieldUDPSrc - openflow.FieldTCPSrc
	case packet.ProtoSCTP:
		f += openflow.FieldSCTPSrc - openflow.FieldTCPSrc
	default:
		return own, nil
	}
	return append(own, openflow.SetFieldBytes(f, value)), nil
}

// unsayable is the error of actions of OpenFlow 1.0 that no entries of 1.3 do.
func unsayable(format string, args ...any) error {
	return &flowtable.Error{Code: openflow.BadActionMatchInconsistent,
		Reason: fmt.Sprintf(format, args...) + "; the switch is one of OpenFlow 1.3"}
}
