package openflow

import "fmt"

// flowWith is a flow-mod with the fields and the actions given.
func flowWith(match []byte, actions ...Action) *FlowMod {
	f := &FlowMod{Priority: 100, Buffer: NoBuffer, OutPort: PortAny, OutGroup: GroupAny, Match: Match{OXM: match}}
	if len(actions) > 0 {
		f.Instructions = []Instruction{Apply(actions...)}
	}
	return f
}

// actionSamples are all actions and instructions, each in a message of its own.
func actionSamples() []sample {
	var all []sample
	for port := PortInPort; port >= PortInPort; port++ { // up to PortAny
		if port != PortAny {
			all = append(all, both("action-output-"+PortText(port), func(Version) Message {
				return flowWith(nil, Action{Type: ActionOutput, Port: port, MaxLen: 77})
			})...)
		}
	}
	ipv4 := appendOXM(nil, FieldEthType, []byte{0x08, 0x00}, nil)
	mpls := appendOXM(nil, FieldEthType, []byte{0x88, 0x47}, nil)
	pbb := appendOXM(nil, FieldEthType, []byte{0x88, 0xe7}, nil)
	tag := appendOXM(nil, FieldVLANVID, []byte{0x10, 5}, nil)
	for _, s := range []struct {
		match  []byte
		action Action
	}{
		{mpls, Action{Type: ActionCopyTTLOut}}, {mpls, Action{Type: ActionCopyTTLIn}},
		{mpls, Action{Type: ActionSetMPLSTTL, TTL: 65}},
		{mpls, Action{Type: ActionDecMPLSTTL}}, {nil, Action{Type: ActionPushVLAN, EtherType: 0x8100}},
		{tag, Action{Type: ActionPopVLAN}},
		{ipv4, Action{Type: ActionPushMPLS, EtherType: 0x8847}}, {mpls, Action{Type: ActionPopMPLS, EtherType: 0x0800}},
		{nil, Action{Type: ActionSetQueue, ID: 0x31}}, {nil, Group(44)}, {ipv4, Action{Type: ActionSetNwTTL, TTL: 66}},
		{ipv4, Action{Type: ActionDecNwTTL}}, {nil, Action{Type: ActionPushPBB, EtherType: 0x88e7}},
		{pbb, Action{Type: ActionPopPBB}},
		{nil, Action{Type: ActionExperimenter, ID: 0x00abcdef, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}}},
	} {
		all = append(all, only13("action-"+s.action.Type.String(), flowWith(s.match, s.action)))
	}
	for f := FieldEthDst; f <= FieldIPv6ExtHdr; f++ {
		all = append(all, only13("action-set_field-"+f.String(), flowWith(prerequisites(f), SetFieldBytes(f, fieldValue(f, 1)))))
	}
	return append(append(all, actionSamples10()...), instructionSamples()...)
}

// actionSamples10 are the actions that OpenFlow 1.0 has besides output.
func actionSamples10() []sample {
	var all []sample
	for i, a := range []Action{
		{Type: ActionSetVLANVID, ID: 0x123}, {Type: ActionSetVLANPCP, ID: 5}, {Type: ActionPopVLAN},
		{Type: ActionEnqueue, Port: 10, ID: 55},
		SetFieldBytes(FieldEthSrc, []byte{2, 1, 2, 3, 4, 5}), SetFieldBytes(FieldEthDst, []byte{2, 6, 7, 8, 9, 10}),
		SetFieldBytes(FieldIPv4Src, []byte{10, 1, 2, 3}), SetFieldBytes(FieldIPv4Dst, []byte{10, 4, 5, 6}),
		SetFieldBytes(FieldIPDSCP, []byte{46}), SetFieldBytes(FieldTCPSrc, []byte{0x1f, 0x91}),
		SetFieldBytes(FieldTCPDst, []byte{0x1f, 0x92}),
		{Type: ActionExperimenter, ID: 0x00abcdef, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		name := a.Type.String()
		if f, _, ok := a.Field(); ok {
			name += "-" + f.String()
		}
		all = append(all, sample{fmt.Sprintf("1.0/action-%d-%s", i, name), V10, flowWith(nil, a)})
	}
	return all
}

func instructionSamples() []sample {
	var all []sample
	for _, i := range []Instruction{
		GotoTable(9), {Type: InstructionWriteMetadata, Metadata: 0x0102030405060708, MetadataMask: 0xfff0ffffffffffff},
		{Type: InstructionWriteActions, Actions: []Action{Output(12), Group(13)}}, {Type: InstructionClearActions}, UseMeter(14),
		{Type: InstructionExperimenter, Experimenter: 0x00abcdef, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		f := flowWith(nil)
		f.Instructions = []Instruction{i}
		all = append(all, only13("instruction-"+i.Type.String(), f))
	}
	return all
}
