package openflow

// parse reads the property at the beginning of b and returns what comes after its padding.
func (p *TableProperty) parse(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, refuse(TableFeaturesFailedBadLen, "%d bytes after the last property of a table", len(b))
	}
	n := int(be16(b[2:]))
	padded := n + padTo8(n)
	if n < 4 || padded > len(b) {
		return nil, refuse(TableFeaturesFailedBadLen, "property of a table of %d bytes in %d", n, len(b))
	}
	*p = TableProperty{Type: TablePropertyType(be16(b))}
	body := view(b, 4, n)
	switch p.Type.form() {
	case propertyIDs:
		return b[padded:], p.parseIDs(body)
	case propertyTables:
		p.Tables = body
	case propertyFields:
		return b[padded:], p.parseFields(body)
	case propertyExperimenter:
		if len(body) < 8 {
			return nil, refuse(TableFeaturesFailedBadLen, "property of an experimenter of %d bytes, shorter than 12", n)
		}
		p.Experimenter, p.ExpType, p.Data = be32(body), be32(body[4:]), body[8:]
	default:
		return nil, refuse(TableFeaturesFailedBadType, "property of a table of type %d", p.Type)
	}
	return b[padded:], nil
}

func (p *TableProperty) parseIDs(b []byte) error {
	for len(b) > 0 {
		if len(b) < 4 {
			return refuse(TableFeaturesFailedBadLen, "%d bytes after the last id", len(b))
		}
		n := int(be16(b[2:]))
		if n < 4 || n > len(b) {
			return refuse(TableFeaturesFailedBadLen, "id of %d bytes in %d", n, len(b))
		}
		p.IDs = append(p.IDs, TypeID{Type: be16(b), Data: view(b, 4, n)})
		b = b[n:]
	}
	return nil
}

func (p *TableProperty) parseFields(b []byte) error {
	for len(b) > 0 {
		if len(b) < oxmHeaderLen {
			return refuse(TableFeaturesFailedBadLen, "%d bytes after the last field", len(b))
		}
		f := FieldID{OXM: be32(b)}
		b = b[oxmHeaderLen:]
		if f.OXM>>16 == oxmClassExp {
			if len(b) < 4 {
				return refuse(TableFeaturesFailedBadLen, "field of an experimenter without its id")
			}
			f.Experimenter = be32(b)
			b = b[4:]
		}
		p.Fields = append(p.Fields, f)
	}
	return nil
}

func (p *TableProperty) append(b []byte, _ Version) ([]byte, error) {
	start := len(b)
	b = append(append16(b, uint16(p.Type)), 0, 0)
	switch p.Type.form() {
	case propertyIDs:
		for i := range p.IDs {
			at := len(b)
			b = append(append(append16(b, p.IDs[i].Type), 0, 0), p.IDs[i].Data...)
			if err := setLen16(b, at, at+2); err != nil {
				return b, err
			}
		}
	case propertyTables:
		b = append(b, p.Tables...)
	case propertyFields:
		for _, f := range p.Fields {
			b = append32(b, f.OXM)
			if f.OXM>>16 == oxmClassExp {
				b = append32(b, f.Experimenter)
			}
		}
	case propertyExperimenter:
		b = append(append32(append32(b, p.Experimenter), p.ExpType), p.Data...)
	default:
		return b, inexpressible(V13, "property of a table of type %d", p.Type)
	}
	if err := setLen16(b, start, start+2); err != nil {
		return b, err
	}
	return appendPad(b, padTo8(len(b)-start)), nil
}
