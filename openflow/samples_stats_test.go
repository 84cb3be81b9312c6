package openflow

// matchSample is a match that both versions can say, made by hand: in_port=3, eth_type=0x0800,
// ip_proto=6, ipv4_dst, tcp_dst.
func matchSample() Match {
	var b []byte
	b = appendOXM(b, FieldInPort, []byte{0, 0, 0, 3}, nil)
	b = appendOXM(b, FieldEthType, []byte{0x08, 0x00}, nil)
	b = appendOXM(b, FieldIPProto, []byte{6}, nil)
	b = appendOXM(b, FieldIPv4Dst, []byte{10, 1, 2, 0}, []byte{255, 255, 255, 0})
	b = appendOXM(b, FieldTCPDst, []byte{0x1f, 0x90}, nil)
	return Match{OXM: b}
}

func filterSample(v Version) FlowFilter {
	f := FlowFilter{Table: 4, OutPort: 11, OutGroup: GroupAny, Match: matchSample()}
	if v == V13 {
		f.OutGroup, f.Cookie, f.CookieMask = 12, 0x1122334455667788, 0xffff0000ffff0000
	}
	return f
}

func flowStatsSample(v Version) *FlowStatsList {
	s := FlowStats{
		DurationSec: 358, DurationNsec: 115_277_000, Priority: 0x8001, IdleTimeout: 60, HardTimeout: 3600,
		Cookie: 0x0123456789abcdef, Packets: 123456, Bytes: 98765432, Match: matchSample(),
		Instructions: []Instruction{Apply(Output(5), OutputController(128))},
	}
	last := FlowStats{DurationSec: 1, DurationNsec: 2, Priority: 7, Packets: 3, Bytes: 4}
	if v == V13 {
		s.Table, last.Table = 9, 10
		s.Flags = FlagSendFlowRemoved | FlagNoByteCounts
		s.Instructions = append(s.Instructions, GotoTable(11))
	}
	return &FlowStatsList{Flows: []FlowStats{s, last}}
}

func statsSamples() []sample {
	all := both("multipart_request-desc", func(Version) Message { return &MultipartRequest{Body: &DescRequest{}} })
	all = append(all, both("multipart_reply-desc", func(Version) Message {
		return &MultipartReply{Body: &Desc{
			Manufacturer: "Weir", Hardware: "emulated switch", Software: "0.1.0", Serial: "None-7", Datapath: "s1",
		}}
	})...)
	all = append(all, both("multipart_request-flow", func(v Version) Message {
		return &MultipartRequest{Body: &FlowRequest{filterSample(v)}}
	})...)
	all = append(all, both("multipart_request-flow-all", func(Version) Message {
		return &MultipartRequest{Body: &FlowRequest{FlowFilter{Table: TableAll, OutPort: PortAny, OutGroup: GroupAny}}}
	})...)
	all = append(all, both("multipart_reply-flow", func(v Version) Message {
		return &MultipartReply{Flags: MultipartMore, Body: flowStatsSample(v)}
	})...)
	all = append(all, both("multipart_reply-flow-none", func(Version) Message {
		return &MultipartReply{Body: &FlowStatsList{}}
	})...)
	all = append(all, both("multipart_request-aggregate", func(v Version) Message {
		return &MultipartRequest{Body: &AggregateRequest{filterSample(v)}}
	})...)
	all = append(all, both("multipart_reply-aggregate", func(Version) Message {
		return &MultipartReply{Body: &AggregateStats{Packets: 0x123456789, Bytes: 0x9876543210, Flows: 321}}
	})...)
	all = append(all,
		both("multipart_request-table", func(Version) Message { return &MultipartRequest{Body: &TableRequest{}} })...)
	all = append(all,
		both("multipart_reply-table", func(v Version) Message { return &MultipartReply{Body: tableStatsSample(v)} })...)
	all = append(all, both("multipart_request-port_stats", func(Version) Message {
		return &MultipartRequest{Body: &PortStatsRequest{Port: 6}}
	})...)
	all = append(all, both("multipart_request-port_stats-all", func(Version) Message {
		return &MultipartRequest{Body: &PortStatsRequest{Port: PortAny}}
	})...)
	all = append(all, both("multipart_reply-port_stats",
		func(v Version) Message { return &MultipartReply{Body: portStatsSample(v)} })...)
	return append(all,
		sample{"1.0/multipart_request-experimenter", V10, &MultipartRequest{Body: &MultipartExperimenterBody{
			Experimenter: 0x00abcdef, Data: []byte{1, 2, 3, 4, 5},
		}}},
		sample{"1.0/multipart_reply-experimenter", V10, &MultipartReply{Body: &MultipartExperimenterBody{
			Experimenter: 0x00abcdef, Data: []byte{1, 2, 3, 4, 5},
		}}},
		only13("multipart_request-experimenter", &MultipartRequest{Body: &MultipartExperimenterBody{
			Experimenter: 0x00abcdef, ExpType: 88, Data: []byte{1, 2, 3, 4, 5},
		}}),
		only13("multipart_reply-experimenter", &MultipartReply{Body: &MultipartExperimenterBody{
			Experimenter: 0x00abcdef, ExpType: 88, Data: []byte{1, 2, 3, 4, 5},
		}}),
	)
}

func tableStatsSample(v Version) *TableStatsList {
	l := &TableStatsList{Tables: []TableStats{
		{Table: 0, Active: 11, Lookups: 0x1000000001, Matched: 0x900000009},
		{Table: 1, Active: 12, Lookups: 14, Matched: 13},
	}}
	if v == V10 {
		l.Tables[0].Name, l.Tables[0].Wildcards, l.Tables[0].MaxEntries = "classifier", 0x3fffff, 1_000_000
		l.Tables[1].Name, l.Tables[1].Wildcards, l.Tables[1].MaxEntries = "table1", 0x3ffffe, 1_000_001
	}
	return l
}

func portStatsSample(v Version) *PortStatsList {
	l := &PortStatsList{Ports: []PortStats{{Port: 6}, {Port: PortLocal}}}
	for i := range l.Ports {
		for j, c := range l.Ports[i].counters() {
			*c = uint64(1000*(i+1) + j + 1)
		}
		if v == V13 {
			l.Ports[i].DurationSec, l.Ports[i].DurationNsec = uint32(70+i), uint32(500_000_000+i*100_000_000)
		}
	}
	return l
}
