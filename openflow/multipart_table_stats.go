package openflow

// TableStatsList is the answer to a TableRequest: all tables.
type TableStatsList struct{ Tables []TableStats }

// TableStats are the counters of a flow table.
type TableStats struct {
	Table      uint8
	Name       string // OpenFlow 1.0, at most 32 bytes
	Wildcards  uint32 // OpenFlow 1.0: OFPFW_* that the table supports
	MaxEntries uint32 // OpenFlow 1.0
	Active     uint32 // flow entries
	Lookups    uint64 // packets
	Matched    uint64 // packets
}

// Lengths of struct ofp_table_stats, and of the names of tables.
const (
	tableStatsLen10 = 64
	tableStatsLen13 = 24
	tableNameLen    = 32
)

// Kind is MultipartTable.
func (*TableStatsList) Kind() MultipartType { return MultipartTable }

func (*TableStatsList) isReply() {}

func (l *TableStatsList) parse(v Version, body []byte) error {
	for len(body) > 0 {
		if v == V10 {
			l.Tables = append(l.Tables, TableStats{
				Table: body[0], Name: fixedString(body[4:36]), Wildcards: be32(body[36:]), MaxEntries: be32(body[40:]),
				Active: be32(body[44:]), Lookups: be64(body[48:]), Matched: be64(body[56:]),
			})
			body = body[tableStatsLen10:]
			continue
		}
		l.Tables = append(l.Tables, TableStats{
			Table: body[0], Active: be32(body[4:]), Lookups: be64(body[8:]), Matched: be64(body[16:]),
		})
		body = body[tableStatsLen13:]
	}
	return nil
}

func (l *TableStatsList) append(b []byte, v Version) ([]byte, error) {
	return appendEach(b, v, l.Tables, (*TableStats).append)
}

func (t *TableStats) append(b []byte, v Version) ([]byte, error) {
	b = append(b, t.Table, 0, 0, 0)
	if v == V10 {
		b = appendFixed(b, t.Name, tableNameLen)
		b = append32(append32(b, t.Wildcards), t.MaxEntries)
	}
	return append64(append64(append32(b, t.Active), t.Lookups), t.Matched), nil
}

func (l *TableStatsList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "tables"), v, l.Tables, (*TableStats).appendText)
}

func (t *TableStats) appendText(b []byte, v Version) []byte {
	b = appendDec(appendKey(append(b, '{'), ',', "table"), t.Table)
	if v == V10 {
		b = appendQuoted(appendKey(b, ',', "name"), t.Name)
		b = appendHex(appendKey(b, ',', "wildcards"), t.Wildcards)
		b = appendDec(appendKey(b, ',', "max_entries"), t.MaxEntries)
	}
	b = appendDec(appendKey(b, ',', "active_count"), t.Active)
	b = appendDec(appendKey(b, ',', "lookup_count"), t.Lookups)
	return append(appendDec(appendKey(b, ',', "matched_count"), t.Matched), '}')
}

func (l *TableStatsList) merge(next multipartBody) bool {
	return mergeList(next, func(n *TableStatsList) { l.Tables = append(l.Tables, n.Tables...) })
}
