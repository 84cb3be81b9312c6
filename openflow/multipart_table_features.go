package openflow

// TableFeaturesList is the body of both the request and the reply: a request without tables asks,
// one with tables sets. OpenFlow 1.3.
type TableFeaturesList struct{ Tables []TableFeatures }

// TableFeatures say what a flow table can do.
type TableFeatures struct {
	Table         uint8
	Name          string // at most 32 bytes
	MetadataMatch uint64 // bits of the metadata that can be matched
	MetadataWrite uint64 // bits of the metadata that can be written
	Config        uint32
	MaxEntries    uint32
	Properties    []TableProperty
}

// tableFeaturesLen is the length of struct ofp_table_features before its properties.
const tableFeaturesLen = 64

// Kind is MultipartTableFeatures.
func (*TableFeaturesList) Kind() MultipartType { return MultipartTableFeatures }

func (*TableFeaturesList) isRequest() {}
func (*TableFeaturesList) isReply()   {}

func (l *TableFeaturesList) parse(_ Version, body []byte) error {
	for len(body) > 0 {
		item, rest, err := cutItem("table", body, 0, tableFeaturesLen)
		if err != nil {
			return err
		}
		l.Tables = append(l.Tables, TableFeatures{})
		if err := l.Tables[len(l.Tables)-1].parse(item); err != nil {
			return err
		}
		body = rest
	}
	return nil
}

func (t *TableFeatures) parse(item []byte) error {
	t.Table, t.Name = item[2], fixedString(item[8:40])
	t.MetadataMatch, t.MetadataWrite = be64(item[40:]), be64(item[48:])
	t.Config, t.MaxEntries = be32(item[56:]), be32(item[60:])
	for rest := item[tableFeaturesLen:]; len(rest) > 0; {
		var p TableProperty
		var err error
		if rest, err = p.parse(rest); err != nil {
			return err
		}
		t.Properties = append(t.Properties, p)
	}
	return nil
}

func (l *TableFeaturesList) append(b []byte, _ Version) ([]byte, error) {
	for i := range l.Tables {
		t, start := &l.Tables[i], len(b)
		b = appendPad(append(b, 0, 0, t.Table), 5)
		b = appendFixed(b, t.Name, tableNameLen)
		b = append64(append64(b, t.MetadataMatch), t.MetadataWrite)
		b = append32(append32(b, t.Config), t.MaxEntries)
		for j := range t.Properties {
			var err error
			if b, err = t.Properties[j].append(b); err != nil {
				return b, err
			}
		}
		if err := setLen16(b, start, start); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (l *TableFeaturesList) appendText(b []byte, _ Version) []byte {
	b = append(appendKey(b, ' ', "tables"), '[')
	for i := range l.Tables {
		t := &l.Tables[i]
		b = appendTable(appendKey(append(appendSep(b), '{'), ',', "table"), t.Table)
		b = appendQuoted(appendKey(b, ',', "name"), t.Name)
		b = appendHex(appendKey(b, ',', "metadata_match"), t.MetadataMatch)
		b = appendHex(appendKey(b, ',', "metadata_write"), t.MetadataWrite)
		b = appendHex(appendKey(b, ',', "config"), t.Config)
		b = appendDec(appendKey(b, ',', "max_entries"), t.MaxEntries)
		b = append(appendKey(b, ',', "properties"), '[')
		for j := range t.Properties {
			b = t.Properties[j].appendText(append(appendSep(b), '{'))
			b = append(b, '}')
		}
		b = append(b, ']', '}')
	}
	return append(b, ']')
}

func (l *TableFeaturesList) merge(next multipartBody) bool {
	n, ok := next.(*TableFeaturesList)
	if ok {
		l.Tables = append(l.Tables, n.Tables...)
	}
	return ok
}
