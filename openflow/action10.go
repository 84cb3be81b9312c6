package openflow

import "encoding/binary"

// The actions of OpenFlow 1.0 (enum ofp10_action_type in Open vSwitch's lib/ofp-actions.c).
const (
	action10Output     = 0
	action10SetVLANVID = 1
	action10SetVLANPCP = 2
	action10StripVLAN  = 3
	action10SetDLSrc   = 4
	action10SetDLDst   = 5
	action10SetNWSrc   = 6
	action10SetNWDst   = 7
	action10SetNWTOS   = 8
	action10SetTPSrc   = 9
	action10SetTPDst   = 10
	action10Enqueue    = 11
	action10Vendor     = 0xffff
)

// action10Fields are the fields that actions of OpenFlow 1.0 set, by the number of the action.
// Which transport the ports are of is not said there: they read as those of TCP, and those of UDP
// and SCTP are written the same way.
var action10Fields = [...]Field{
	action10SetDLSrc: FieldEthSrc,
	action10SetDLDst: FieldEthDst,
	action10SetNWSrc: FieldIPv4Src,
	action10SetNWDst: FieldIPv4Dst,
	action10SetTPSrc: FieldTCPSrc,
	action10SetTPDst: FieldTCPDst,
}

// parse10 reads one action of OpenFlow 1.0 that fills b.
func (a *Action) parse10(b []byte, mem *arena) error {
	t := be16(b)
	want := actionHeaderLen
	switch t {
	case action10SetDLSrc, action10SetDLDst, action10Enqueue:
		want = 16
	case action10Vendor:
		a.Type, a.ID, a.Data = ActionExperimenter, be32(b[4:]), view(b, 8, len(b))
		return nil
	}
	if t > action10Enqueue {
		return refuse(BadActionBadType, "action of type %d", t)
	}
	if len(b) != want {
		return refuse(BadActionBadLen, "action of type %d and %d bytes, not %d", t, len(b), want)
	}
	a.Type = ActionSetField
	switch t {
	case action10Output:
		a.Type, a.Port, a.MaxLen = ActionOutput, portFrom10(be16(b[4:])), be16(b[6:])
	case action10SetVLANVID:
		a.Type, a.ID = ActionSetVLANVID, uint32(be16(b[4:]))
	case action10SetVLANPCP:
		a.Type, a.ID = ActionSetVLANPCP, uint32(b[4])
	case action10StripVLAN:
		a.Type = ActionPopVLAN
	case action10Enqueue:
		a.Type, a.Port, a.ID = ActionEnqueue, portFrom10(be16(b[4:])), be32(b[12:])
	case action10SetNWTOS:
		if b[4]&3 != 0 {
			return refuse(BadActionBadArgument, "set_nw_tos to 0x%02x, which has bits outside of the DSCP", b[4])
		}
		a.Data = mem.oxm(FieldIPDSCP, []byte{b[4] >> 2})
	default:
		f := action10Fields[t]
		a.Data = mem.oxm(f, b[4:4+oxmFields[f].size])
	}
	return a.checkArgument10()
}

// checkArgument10 refuses VLAN ids and priorities that are none: they could not be told from others
// after a round trip.
func (a *Action) checkArgument10() error {
	switch {
	case a.Type == ActionSetVLANVID && a.ID > vlanVIDMask:
		return refuse(BadActionBadArgument, "set_vlan_vid to %d, more than 4095", a.ID)
	case a.Type == ActionSetVLANPCP && a.ID > 7:
		return refuse(BadActionBadArgument, "set_vlan_pcp to %d, more than 7", a.ID)
	}
	return nil
}

// append10 appends one action as OpenFlow 1.0 writes it.
func (a *Action) append10(b []byte) ([]byte, error) {
	switch a.Type {
	case ActionOutput:
		p, err := portTo10(a.Port)
		return append(b, 0, action10Output, 0, 8, uint8(p>>8), uint8(p), uint8(a.MaxLen>>8), uint8(a.MaxLen)), err
	case ActionSetVLANVID:
		return append(b, 0, action10SetVLANVID, 0, 8, uint8(a.ID>>8), uint8(a.ID), 0, 0), nil
	case ActionSetVLANPCP:
		return append(b, 0, action10SetVLANPCP, 0, 8, uint8(a.ID), 0, 0, 0), nil
	case ActionPopVLAN:
		return append(b, 0, action10StripVLAN, 0, 8, 0, 0, 0, 0), nil
	case ActionEnqueue:
		p, err := portTo10(a.Port)
		b = append(b, 0, action10Enqueue, 0, 16, uint8(p>>8), uint8(p), 0, 0, 0, 0, 0, 0)
		return append32(b, a.ID), err
	case ActionSetField:
		return a.appendSetField10(b)
	case ActionExperimenter:
		return appendExperimenterAction(b, a)
	}
	return b, inexpressible(V10, "action %s", a.Type)
}

// appendSetField10 appends the action that sets a field as OpenFlow 1.0 has it. A VLAN id is set by
// the action that would also add a tag: a set-field is only for packets that have one.
func (a *Action) appendSetField10(b []byte) ([]byte, error) {
	var t uint8
	f, value, ok := a.Field()
	if !ok {
		return b, inexpressible(V10, "action %s", appendActionText(nil, a))
	}
	var four [4]byte
	switch f {
	case FieldVLANVID:
		binary.BigEndian.PutUint16(four[:], be16(value)&vlanVIDMask)
		value, t = four[:2], action10SetVLANVID
	case FieldVLANPCP:
		t = action10SetVLANPCP
	case FieldEthSrc:
		t = action10SetDLSrc
	case FieldEthDst:
		t = action10SetDLDst
	case FieldIPv4Src:
		t = action10SetNWSrc
	case FieldIPv4Dst:
		t = action10SetNWDst
	case FieldIPDSCP:
		four[0] = value[0] << 2
		value, t = four[:1], action10SetNWTOS
	case FieldTCPSrc, FieldUDPSrc, FieldSCTPSrc:
		t = action10SetTPSrc
	case FieldTCPDst, FieldUDPDst, FieldSCTPDst:
		t = action10SetTPDst
	default:
		return b, inexpressible(V10, "action %s", appendActionText(nil, a))
	}
	n := 4 + len(value)
	b = append(b, 0, t, 0, uint8(n+padTo8(n)))
	return appendPad(append(b, value...), padTo8(n)), nil
}
