package openflow

// monitorMatchSample has every kind of field that NXM says in its own way.
func monitorMatchSample() Match {
	var b []byte
	b = appendOXM(b, FieldInPort, []byte{0, 0, 0, 3}, nil)
	b = appendOXM(b, FieldEthType, []byte{0x08, 0x00}, nil)
	b = appendOXM(b, FieldVLANVID, []byte{0x10, 0x07}, nil)
	b = appendOXM(b, FieldVLANPCP, []byte{2}, nil)
	b = appendOXM(b, FieldIPDSCP, []byte{9}, nil)
	b = appendOXM(b, FieldIPProto, []byte{6}, nil)
	b = appendOXM(b, FieldIPv4Dst, []byte{10, 1, 2, 0}, []byte{255, 255, 255, 0})
	b = appendOXM(b, FieldTCPDst, []byte{0x1f, 0x90}, nil)
	return Match{OXM: b}
}

func updatesSample(v Version) *FlowUpdateList {
	var tag, multicast, untagged Match
	tag.OXM = appendOXM(nil, FieldVLANVID, []byte{0x10, 0}, []byte{0x10, 0})
	untagged.OXM = appendOXM(nil, FieldVLANVID, []byte{0, 0}, nil)
	multicast.OXM = appendOXM(nil, FieldEthDst, []byte{1, 0, 0, 0, 0, 0}, []byte{1, 0, 0, 0, 0, 0})
	l := &FlowUpdateList{Updates: []FlowUpdate{
		{
			Event: FlowAdded, Priority: 0x8001, IdleTimeout: 60, HardTimeout: 3600, Table: 9, Cookie: 0x0123456789abcdef,
			Match: monitorMatchSample(), Instructions: []Instruction{Apply(Output(5), Output(6))},
		},
		{Event: FlowDeleted, Reason: uint16(RemovedHard), Priority: 7, Table: 10, Cookie: 0x21, Match: multicast},
		{Event: FlowModified, Priority: 8, Table: 11, Cookie: 0x22, Match: tag, Instructions: []Instruction{Apply(Output(7))}},
		{Event: FlowDeleted, Reason: uint16(RemovedDelete), Priority: 12, Table: 12, Cookie: 0x23, Match: untagged},
	}}
	if v == V13 {
		l.Updates[0].Instructions = append(l.Updates[0].Instructions, GotoTable(13))
	}
	return l
}

func monitorSamples() []sample {
	one := func(m FlowMonitor) func(Version) Message {
		return func(Version) Message {
			return &MultipartRequest{Body: &FlowMonitorRequest{Monitors: []FlowMonitor{m}}}
		}
	}
	all := both("multipart_request-flow_monitor", one(FlowMonitor{
		ID: 0x52, Flags: MonitorInitial | MonitorDelete | MonitorOwn, OutPort: 14, Table: 4, Match: monitorMatchSample(),
	}))
	all = append(all, both("multipart_request-flow_monitor-all", one(FlowMonitor{
		ID: 0x51, Flags: MonitorAdd | MonitorDelete | MonitorModify | MonitorActions, OutPort: PortAny, Table: TableAll,
	}))...)
	all = append(all, both("multipart_reply-flow_monitor", func(v Version) Message {
		return &MultipartReply{Flags: MultipartMore, Body: updatesSample(v)}
	})...)
	all = append(all, both("multipart_reply-flow_monitor-abbreviated", func(Version) Message {
		return &MultipartReply{Body: &FlowUpdateList{Updates: []FlowUpdate{{Event: FlowAbbreviated, XID: 0x5a5b5c5d}}}}
	})...)
	all = append(all, both("multipart_reply-flow_monitor-none", func(Version) Message {
		return &MultipartReply{Body: &FlowUpdateList{}}
	})...)
	return append(all,
		sample{"1.0/flow_monitor-paused", V10, &Experimenter{Experimenter: niciraID, Data: []byte{0, 0, 0, niciraMonitorPause}}},
		sample{"1.0/flow_monitor-resumed", V10,
			&Experimenter{Experimenter: niciraID, Data: []byte{0, 0, 0, niciraMonitorResume}}},
		only13("flow_monitor-paused", &Experimenter{Experimenter: onfID, ExpType: onfMonitorPause, Data: []byte{}}),
		only13("flow_monitor-resumed", &Experimenter{Experimenter: onfID, ExpType: onfMonitorResume, Data: []byte{}}),
	)
}
