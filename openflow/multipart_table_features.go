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

func (l *TableFeaturesList) parse(_ Version, body []byte) (err error) {
	l.Tables, err = parseItems(l.Tables, "table", body, 0, tableFeaturesLen, (*TableFeatures).parse)
	return err
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

func (l *TableFeaturesList) append(b []byte, v Version) ([]byte, error) {
	return appendItems(b, v, l.Tables, 0, (*TableFeatures).append)
}

// append writes the features of a table with 0 for their length.
func (t *TableFeatures) append(b []byte, v Version) ([]byte, error) {
	b = appendPad(append(b, 0, 0, t.Table), 5)
	b = appendFixed(b, t.Name, tableNameLen)
	b = append64(append64(b, t.MetadataMatch), t.MetadataWrite)
	b = append32(append32(b, t.Config), t.MaxEntries)
	return appendEach(b, v, t.Properties, (*TableProperty).append)
}

func (l *TableFeaturesList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "tables"), v, l.Tables, (*TableFeatures).appendText)
}

func (t *TableFeatures) appendText(b []byte, v Version) []byte {
	b = appendTable(appendKey(append(b, '{'), ',', "table"), t.Table)
	b = appendQuoted(appendKey(b, ',', "name"), t.Name)
	b = appendHex(appendKey(b, ',', "metadata_match"), t.MetadataMatch)
	b = appendHex(appendKey(b, ',', "metadata_write"), t.MetadataWrite)
	b = appendHex(appendKey(b, ',', "config"), t.Config)
	b = appendDec(appendKey(b, ',', "max_entries"), t.MaxEntries)
	return append(appendListText(appendKey(b, ',', "properties"), v, t.Properties, (*TableProperty).appendText), '}')
}

func (l *TableFeaturesList) merge(next multipartBody) bool {
	return mergeList(next, func(n *TableFeaturesList) { l.Tables = append(l.Tables, n.Tables...) })
}
