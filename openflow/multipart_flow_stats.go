package openflow

// FlowStatsList is the answer to a FlowRequest.
type FlowStatsList struct{ Flows []FlowStats }

// FlowStats is one flow entry as the switch reports it.
type FlowStats struct {
	Table        uint8
	DurationSec  uint32
	DurationNsec uint32 // beyond DurationSec
	Priority     uint16
	IdleTimeout  uint16    // seconds; 0 never
	HardTimeout  uint16    // seconds; 0 never
	Flags        FlowFlags // OpenFlow 1.3
	Cookie       uint64
	Packets      uint64
	Bytes        uint64
	Match        Match
	Instructions []Instruction
}

// Lengths of struct ofp_flow_stats: in OpenFlow 1.0 with its match and before the actions, in 1.3
// before the match.
const (
	flowStatsLen10 = 88
	flowStatsLen13 = 48
)

// Kind is MultipartFlow.
func (*FlowStatsList) Kind() MultipartType { return MultipartFlow }

func (*FlowStatsList) isReply() {}

// flowStatsLeast is the length of the shortest entry: without actions, or with an empty match.
func flowStatsLeast(v Version) int {
	if v == V10 {
		return flowStatsLen10
	}
	return flowStatsLen13 + 8
}

func (l *FlowStatsList) parse(v Version, body []byte) (err error) {
	a := arena{report: true}
	l.Flows, err = parseItems(l.Flows, "flow entry", body, 0, flowStatsLeast(v), func(s *FlowStats, item []byte) error {
		return s.parse(v, item, &a)
	})
	return err
}

func (s *FlowStats) parse(v Version, item []byte, a *arena) (err error) {
	s.Table = item[2]
	if v == V10 {
		if _, err = s.Match.parse(v, item[4:], a); err != nil {
			return err
		}
		s.DurationSec, s.DurationNsec, s.Priority = be32(item[44:]), be32(item[48:]), be16(item[52:])
		s.IdleTimeout, s.HardTimeout = be16(item[54:]), be16(item[56:])
		s.Cookie, s.Packets, s.Bytes = be64(item[64:]), be64(item[72:]), be64(item[80:])
		s.Instructions, err = parseInstructions(v, item[flowStatsLen10:], s.Instructions, a)
		return err
	}
	s.DurationSec, s.DurationNsec, s.Priority = be32(item[4:]), be32(item[8:]), be16(item[12:])
	s.IdleTimeout, s.HardTimeout, s.Flags = be16(item[14:]), be16(item[16:]), FlowFlags(be16(item[18:]))
	s.Cookie, s.Packets, s.Bytes = be64(item[24:]), be64(item[32:]), be64(item[40:])
	n, err := s.Match.parse(v, item[flowStatsLen13:], a)
	if err != nil {
		return err
	}
	s.Instructions, err = parseInstructions(v, item[flowStatsLen13+n:], s.Instructions, a)
	return err
}

func (l *FlowStatsList) append(b []byte, v Version) ([]byte, error) {
	return appendItems(b, v, l.Flows, 0, (*FlowStats).append)
}

// append writes an entry with 0 for its length.
func (s *FlowStats) append(b []byte, v Version) (_ []byte, err error) {
	b = append(b, 0, 0, s.Table, 0)
	if v == V10 {
		if b, err = s.Match.append(b, v); err != nil {
			return b, err
		}
	}
	b = append32(append32(b, s.DurationSec), s.DurationNsec)
	b = append16(append16(append16(b, s.Priority), s.IdleTimeout), s.HardTimeout)
	if v == V10 {
		b = appendPad(b, 6)
	} else {
		b = appendPad(append16(b, uint16(s.Flags)), 4)
	}
	b = append64(append64(append64(b, s.Cookie), s.Packets), s.Bytes)
	if v != V10 {
		if b, err = s.Match.append(b, v); err != nil {
			return b, err
		}
	}
	return appendInstructions(b, v, s.Instructions)
}

func (l *FlowStatsList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "flows"), v, l.Flows, (*FlowStats).appendText)
}

func (s *FlowStats) appendText(b []byte, v Version) []byte {
	b = appendDec(appendKey(append(b, '{'), ',', "table"), s.Table)
	b = appendDec(appendKey(b, ',', "priority"), s.Priority)
	b = appendHexN(appendKey(b, ',', "cookie"), s.Cookie, 16)
	b = appendDec(appendKey(b, ',', "duration_sec"), s.DurationSec)
	b = appendDec(appendKey(b, ',', "duration_nsec"), s.DurationNsec)
	b = appendTimeouts(b, ',', s.IdleTimeout, s.HardTimeout)
	if v != V10 && s.Flags != 0 {
		b = appendFlags(appendKey(b, ',', "flags"), uint32(s.Flags), flowFlagNames)
	}
	b = appendDec(appendKey(b, ',', "packet_count"), s.Packets)
	b = appendDec(appendKey(b, ',', "byte_count"), s.Bytes)
	b = s.Match.appendText(appendKey(b, ',', "match"), v)
	return append(appendInstructionsText(appendKey(b, ',', "instructions"), s.Instructions), '}')
}

func (l *FlowStatsList) merge(next multipartBody) bool {
	return mergeList(next, func(n *FlowStatsList) { l.Flows = append(l.Flows, n.Flows...) })
}
