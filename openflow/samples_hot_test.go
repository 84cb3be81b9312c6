package openflow

// frameSample is an Ethernet frame: ARP request.
var frameSample = []byte{
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0, 0, 0, 0, 1, 0x08, 0x06, 0, 1, 8, 0, 6, 4, 0, 1,
	0x02, 0, 0, 0, 0, 1, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2,
}

// flowModSample is a flow-mod with every field set that v has.
func flowModSample(v Version, c FlowModCommand) *FlowMod {
	f := &FlowMod{
		Cookie: 0x0123456789abcdef, Command: c, IdleTimeout: 60, HardTimeout: 3600, Priority: 0x8001, Buffer: NoBuffer,
		OutPort: PortAny, OutGroup: GroupAny, Flags: FlagSendFlowRemoved | FlagCheckOverlap, Match: matchSample(),
	}
	if c.isDelete() {
		f.OutPort = 23
	} else {
		f.Instructions = []Instruction{Apply(Output(5), Output(PortFlood))}
	}
	if v == V13 {
		f.Table, f.CookieMask = 6, 0xffff0000ffff0000
		f.Flags |= FlagResetCounts
		if c.isDelete() {
			f.OutGroup = 24
		}
	}
	return f
}

func hotSamples() []sample {
	var all []sample
	for c := FlowAdd; c <= FlowDeleteStrict; c++ {
		all = append(all, both("flow_mod-"+c.String(), func(v Version) Message { return flowModSample(v, c) })...)
	}
	for r := ReasonNoMatch; r <= ReasonBadTTL; r++ {
		p := &PacketIn{Buffer: 0x100, TotalLen: 1500, Reason: r, Cookie: ^uint64(0), InPort: 7, Data: frameSample}
		if r != ReasonBadTTL {
			all = append(all, sample{"1.0/packet_in-" + r.String(), V10, p})
		}
		q := *p
		q.Buffer, q.Table, q.Cookie = NoBuffer, 3, 0x1122334455667788
		all = append(all, only13("packet_in-"+r.String(), &q))
	}
	var match []byte
	match = appendOXM(match, FieldInPort, []byte{0, 0, 0, 8}, nil)
	match = appendOXM(match, FieldMetadata, []byte{1, 2, 3, 4, 5, 6, 7, 8}, nil)
	match = appendOXM(match, FieldTunnelID, []byte{0, 0, 0, 0, 0, 0, 0x13, 0x88}, nil)
	all = append(all, only13("packet_in-pipeline-fields", &PacketIn{
		Buffer: NoBuffer, TotalLen: 42, Reason: ReasonAction, InPort: 8, Match: Match{OXM: match}, Data: frameSample,
	}))
	for r := RemovedIdle; r <= RemovedGroup; r++ {
		f := FlowRemoved{
			Cookie: 0x0123456789abcdef, Priority: 0x8001, Reason: r, DurationSec: 358, DurationNsec: 115_277_000,
			IdleTimeout: 60, Packets: 123456, Bytes: 98765432, Match: matchSample(),
		}
		if r != RemovedGroup {
			g := f
			all = append(all, sample{"1.0/flow_removed-" + r.String(), V10, &g})
		}
		f.Table, f.HardTimeout = 6, 3600
		all = append(all, only13("flow_removed-"+r.String(), &f))
	}
	all = append(all, both("packet_out-frame", func(Version) Message {
		return &PacketOut{Buffer: NoBuffer, InPort: PortController,
			Actions: []Action{Output(2), Output(PortInPort)}, Data: frameSample}
	})...)
	return append(all, both("packet_out-buffer", func(Version) Message {
		return &PacketOut{Buffer: 0x101, InPort: 4, Actions: []Action{Output(PortTable)}}
	})...)
}
