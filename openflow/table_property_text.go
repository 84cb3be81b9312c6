package openflow

var tablePropertyNames = []string{
	TableInstructions:      "instructions",
	TableInstructionsMiss:  "instructions_miss",
	TableNextTables:        "next_tables",
	TableNextTablesMiss:    "next_tables_miss",
	TableWriteActions:      "write_actions",
	TableWriteActionsMiss:  "write_actions_miss",
	TableApplyActions:      "apply_actions",
	TableApplyActionsMiss:  "apply_actions_miss",
	TableMatch:             "match",
	TableWildcards:         "wildcards",
	TableWriteSetField:     "write_setfield",
	TableWriteSetFieldMiss: "write_setfield_miss",
	TableApplySetField:     "apply_setfield",
	TableApplySetFieldMiss: "apply_setfield_miss",
}

// String is the name of the property in the specification, in lower case: "next_tables_miss".
func (t TablePropertyType) String() string {
	switch t {
	case TableExperimenter:
		return "experimenter"
	case TableExperimenterMiss:
		return "experimenter_miss"
	}
	return string(nameOr(nil, tablePropertyNames, t))
}

// appendText prints the property: "{next_tables=[1,2]}".
func (p *TableProperty) appendText(b []byte, _ Version) []byte {
	b = appendKey(append(b, '{'), ',', p.Type.String())
	if p.Type.form() == propertyExperimenter {
		b = appendHex(appendKey(append(b, '{'), ',', "experimenter"), p.Experimenter)
		b = appendDec(appendKey(b, ',', "exp_type"), p.ExpType)
		return append(appendHexBytes(appendKey(b, ',', "data"), p.Data), '}', '}')
	}
	b = append(b, '[')
	for i := range p.IDs {
		b = p.IDs[i].appendText(appendSep(b), p.Type)
	}
	for _, t := range p.Tables {
		b = appendDec(appendSep(b), t)
	}
	for _, f := range p.Fields {
		b = f.appendText(appendSep(b))
	}
	return append(b, ']', '}')
}

// appendText prints the name of an instruction or action and, if something follows its length, :
// and that.
func (id *TypeID) appendText(b []byte, t TablePropertyType) []byte {
	if t == TableInstructions || t == TableInstructionsMiss {
		b = append(b, InstructionType(id.Type).String()...)
	} else {
		b = append(b, ActionType(id.Type).String()...)
	}
	if len(id.Data) > 0 {
		b = appendHexBytes(append(b, ':'), id.Data)
	}
	return b
}

// appendText prints a field's name, with /mask if it can have one, and with : and its length if
// that is not the usual one.
func (f FieldID) appendText(b []byte) []byte {
	o := oxm{header: f.OXM}
	b = appendOXMName(b, o)
	usual := 0
	if field, ok := o.basic(); ok {
		usual = int(oxmFields[field].size)
	}
	if f.OXM&oxmHasMask != 0 {
		b = append(b, "/mask"...)
		usual *= 2
	}
	if size := int(f.OXM & 0xff); size != usual {
		b = appendDec(append(b, ':'), uint8(size))
	}
	if o.class() == oxmClassExp {
		b = appendHexN(append(b, ':'), uint64(f.Experimenter), 8)
	}
	return b
}
