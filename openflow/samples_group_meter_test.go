package openflow

func bucketSamples(kind GroupType) []Bucket {
	b := []Bucket{
		{WatchPort: PortAny, WatchGroup: GroupAny, Actions: []Action{Output(21), {Type: ActionSetQueue, ID: 31}}},
		{WatchPort: PortAny, WatchGroup: GroupAny, Actions: []Action{Output(22)}},
	}
	switch kind {
	case GroupTypeSelect:
		b[0].Weight, b[1].Weight = 100, 200
	case GroupTypeFastFailover:
		b[0].WatchPort, b[1].WatchGroup = 21, 44
	case GroupTypeIndirect:
		b = b[:1]
	}
	return b
}

var bandSamples = []Band{
	{Type: BandDrop, Rate: 1000, Burst: 111},
	{Type: BandDSCPRemark, Rate: 2000, Burst: 222, PrecLevel: 1},
}

func groupMeterSamples() []sample {
	var all []sample
	var descs []GroupDesc
	for kind := GroupTypeAll; kind <= GroupTypeFastFailover; kind++ {
		all = append(all, only13("group_mod-"+kind.String(), &GroupMod{
			Command: GroupAdd, Kind: kind, Group: 40 + uint32(kind), Buckets: bucketSamples(kind),
		}))
		descs = append(descs, GroupDesc{Kind: kind, Group: 40 + uint32(kind), Buckets: bucketSamples(kind)})
	}
	return append(all,
		only13("group_mod-modify", &GroupMod{Command: GroupModify, Group: 50}),
		only13("group_mod-delete", &GroupMod{Command: GroupDelete, Group: GroupAll}),
		only13("meter_mod-add", &MeterMod{Command: MeterAdd, Flags: MeterFlagKbps | MeterFlagBurst | MeterFlagStats,
			Meter: 60, Bands: bandSamples}),
		only13("meter_mod-modify", &MeterMod{Command: MeterModify, Flags: MeterFlagPktps, Meter: 61, Bands: bandSamples[:1]}),
		only13("meter_mod-delete", &MeterMod{Command: MeterDelete, Meter: MeterAll}),
		only13("meter_mod-experimenter", &MeterMod{Command: MeterAdd, Flags: MeterFlagKbps, Meter: 62, Bands: []Band{
			{Type: BandExperimenter, Rate: 3000, Burst: 333, Experimenter: 0x00abcdef, Data: []byte{}},
		}}),
		only13("multipart_request-group", &MultipartRequest{Body: &GroupRequest{Group: 41}}),
		only13("multipart_request-group-all", &MultipartRequest{Body: &GroupRequest{Group: GroupAll}}),
		only13("multipart_reply-group", &MultipartReply{Body: &GroupStatsList{Groups: []GroupStats{
			{Group: 41, RefCount: 2, Packets: 123, Bytes: 12345, DurationSec: 9, DurationNsec: 609_036_000,
				Buckets: []BucketCounter{{Packets: 23, Bytes: 2345}, {Packets: 100, Bytes: 10000}}},
			{Group: 42, RefCount: 3, Packets: 124, Bytes: 12346, DurationSec: 10, DurationNsec: 609_036_001},
		}}}),
		only13("multipart_request-group_desc", &MultipartRequest{Body: &GroupDescRequest{}}),
		only13("multipart_reply-group_desc", &MultipartReply{Body: &GroupDescList{Groups: descs}}),
		only13("multipart_request-group_features", &MultipartRequest{Body: &GroupFeaturesRequest{}}),
		only13("multipart_reply-group_features", &MultipartReply{Body: &GroupFeatures{
			Types: 15, Capabilities: GroupCapabilitySelectWeight | GroupCapabilityChaining,
			MaxGroups: [4]uint32{101, 102, 103, 104},
			Actions:   [4]uint32{1 << ActionOutput, 1<<ActionOutput | 1<<ActionGroup, 1 << ActionPopVLAN, 1 << ActionSetField},
		}}),
		only13("multipart_request-meter", &MultipartRequest{Body: &MeterRequest{Meter: 60}}),
		only13("multipart_request-meter-all", &MultipartRequest{Body: &MeterRequest{Meter: MeterAll}}),
		only13("multipart_reply-meter", &MultipartReply{Body: &MeterStatsList{Meters: []MeterStats{
			{Meter: 60, Flows: 5, PacketsIn: 777, BytesIn: 77777, DurationSec: 12, DurationNsec: 480_000_000,
				Bands: []BandCounter{{Packets: 11, Bytes: 1111}, {Packets: 22, Bytes: 2222}}},
			{Meter: 61, Flows: 6, PacketsIn: 778, BytesIn: 77778, DurationSec: 13, DurationNsec: 480_000_001,
				Bands: []BandCounter{{Packets: 33, Bytes: 3333}}},
		}}}),
		only13("multipart_request-meter_config", &MultipartRequest{Body: &MeterConfigRequest{Meter: 61}}),
		only13("multipart_request-meter_config-all", &MultipartRequest{Body: &MeterConfigRequest{Meter: MeterAll}}),
		only13("multipart_reply-meter_config", &MultipartReply{Body: &MeterConfigList{Meters: []MeterConfig{
			{Flags: MeterFlagKbps | MeterFlagBurst, Meter: 60, Bands: bandSamples},
			{Flags: MeterFlagPktps, Meter: 61, Bands: bandSamples[:1]},
		}}}),
		only13("multipart_request-meter_features", &MultipartRequest{Body: &MeterFeaturesRequest{}}),
		only13("multipart_reply-meter_features", &MultipartReply{Body: &MeterFeatures{
			MaxMeters: 65536, BandTypes: 1<<BandDrop | 1<<BandDSCPRemark, Capabilities: uint32(allMeterFlags),
			MaxBands: 16, MaxColor: 8,
		}}),
	)
}
