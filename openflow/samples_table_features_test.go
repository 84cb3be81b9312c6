package openflow

// tableFeaturesSample is a table with every property: instructions, actions and fields of each.
func tableFeaturesSample(table uint8, name string) TableFeatures {
	instructions := []TypeID{{Type: 1}, {Type: 2}, {Type: 3}, {Type: 4}, {Type: 5}, {Type: 6}}
	actions := []TypeID{{Type: uint16(ActionOutput)}, {Type: uint16(ActionPopVLAN)}, {Type: uint16(ActionGroup)},
		{Type: uint16(ActionSetField)}}
	fields := []FieldID{FieldIDOf(FieldInPort, false), FieldIDOf(FieldEthDst, true), FieldIDOf(FieldIPv6Src, true)}
	plain := []FieldID{FieldIDOf(FieldInPort, false), FieldIDOf(FieldEthDst, false)}
	return TableFeatures{
		Table: table, Name: name, MetadataMatch: 0xffff00000000000f, MetadataWrite: 0x0000ffff000000f0, MaxEntries: 16_777_216,
		Properties: []TableProperty{
			{Type: TableInstructions, IDs: instructions}, {Type: TableInstructionsMiss, IDs: instructions[:3]},
			{Type: TableNextTables, Tables: []byte{table + 1, table + 2, table + 3}},
			{Type: TableNextTablesMiss, Tables: []byte{table + 1}},
			{Type: TableWriteActions, IDs: actions}, {Type: TableWriteActionsMiss, IDs: actions[:1]},
			{Type: TableApplyActions, IDs: actions[1:]}, {Type: TableApplyActionsMiss, IDs: actions[:2]},
			{Type: TableMatch, Fields: fields}, {Type: TableWildcards, Fields: plain},
			{Type: TableWriteSetField, Fields: plain[1:]}, {Type: TableWriteSetFieldMiss, Fields: plain[1:]},
			{Type: TableApplySetField, Fields: plain[1:]}, {Type: TableApplySetFieldMiss},
		},
	}
}

func tableFeaturesSamples() []sample {
	experimenter := TableFeatures{Table: 3, Name: "vendor", Properties: []TableProperty{
		{Type: TableExperimenter, Experimenter: 0x00abcdef, ExpType: 5, Data: []byte{1, 2, 3, 4}},
		{Type: TableExperimenterMiss, Experimenter: 0x00abcdee, ExpType: 6},
		{Type: TableApplyActions, IDs: []TypeID{{Type: 0xffff, Data: []byte{0, 0xab, 0xcd, 0xef}}}},
		{Type: TableMatch, Fields: []FieldID{{OXM: 0xffff0006, Experimenter: 0x4f4e4600}}},
	}}
	return []sample{
		only13("multipart_request-table_features", &MultipartRequest{Body: &TableFeaturesList{}}),
		only13("multipart_request-table_features-set", &MultipartRequest{
			Flags: MultipartMore, Body: &TableFeaturesList{Tables: []TableFeatures{tableFeaturesSample(1, "ingress")}},
		}),
		only13("multipart_reply-table_features", &MultipartReply{Body: &TableFeaturesList{
			Tables: []TableFeatures{tableFeaturesSample(1, "ingress"), tableFeaturesSample(2, "egress")},
		}}),
		only13("multipart_reply-table_features-experimenter",
			&MultipartReply{Body: &TableFeaturesList{Tables: []TableFeatures{experimenter}}}),
	}
}
