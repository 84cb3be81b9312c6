package openflow

// FlowRemovedReason tells why a flow entry went (enum ofp_flow_removed_reason).
type FlowRemovedReason uint8

// The reasons of a flow-removed.
const (
	RemovedIdle   FlowRemovedReason = 0
	RemovedHard   FlowRemovedReason = 1
	RemovedDelete FlowRemovedReason = 2
	RemovedGroup  FlowRemovedReason = 3 // OpenFlow 1.3
)

// FlowRemoved tells that a flow entry went.
type FlowRemoved struct {
	Cookie       uint64
	Priority     uint16
	Reason       FlowRemovedReason
	Table        uint8 // OpenFlow 1.3
	DurationSec  uint32
	DurationNsec uint32
	IdleTimeout  uint16
	HardTimeout  uint16 // OpenFlow 1.3
	Packets      uint64
	Bytes        uint64
	Match        Match

	arena arena
}

// removedNames are the reasons of a flow-removed in text.
var removedNames = []string{"idle_timeout", "hard_timeout", "delete", "group_delete"}

// String is the reason in text: "idle_timeout".
func (r FlowRemovedReason) String() string { return string(nameOr(nil, removedNames, r)) }

// Type is TypeFlowRemoved.
func (*FlowRemoved) Type() Type { return TypeFlowRemoved }

// Parse reads the body of a flow-removed.
func (f *FlowRemoved) Parse(v Version, b []byte) error {
	f.arena.reset()
	f.arena.report = true
	if v == V10 {
		return f.parse10(b)
	}
	if len(b) < 48 {
		return refuse(BadRequestBadLen, "flow_removed with a body of %d bytes", len(b))
	}
	f.Cookie, f.Priority = be64(b), be16(b[8:])
	f.Reason, f.Table = FlowRemovedReason(b[10]), b[11]
	f.DurationSec, f.DurationNsec = be32(b[12:]), be32(b[16:])
	f.IdleTimeout, f.HardTimeout = be16(b[20:]), be16(b[22:])
	f.Packets, f.Bytes = be64(b[24:]), be64(b[32:])
	n, err := f.Match.parse(v, b[40:], &f.arena)
	if err == nil && 40+n != len(b) {
		err = refuse(BadRequestBadLen, "flow_removed with %d bytes after its match", len(b)-40-n)
	}
	return err
}

func (f *FlowRemoved) parse10(b []byte) error {
	if len(b) != 80 {
		return refuse(BadRequestBadLen, "flow_removed with a body of %d bytes", len(b))
	}
	f.Cookie, f.Priority = be64(b[40:]), be16(b[48:])
	f.Reason, f.Table = FlowRemovedReason(b[50]), 0
	f.DurationSec, f.DurationNsec = be32(b[52:]), be32(b[56:])
	f.IdleTimeout, f.HardTimeout = be16(b[60:]), 0
	f.Packets, f.Bytes = be64(b[64:]), be64(b[72:])
	_, err := f.Match.parse(V10, b, &f.arena)
	return err
}

// Append appends the body. OpenFlow 1.0 has neither Table nor HardTimeout, which are then not
// written.
func (f *FlowRemoved) Append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		return f.append10(b)
	}
	b = append64(b, f.Cookie)
	b = append(append16(b, f.Priority), uint8(f.Reason), f.Table)
	b = append32(append32(b, f.DurationSec), f.DurationNsec)
	b = append16(append16(b, f.IdleTimeout), f.HardTimeout)
	b = append64(append64(b, f.Packets), f.Bytes)
	return f.Match.append(b, v)
}

func (f *FlowRemoved) append10(b []byte) ([]byte, error) {
	b, err := f.Match.append(b, V10)
	b = append64(b, f.Cookie)
	b = append(append16(b, f.Priority), uint8(f.Reason), 0)
	b = append32(append32(b, f.DurationSec), f.DurationNsec)
	b = append(append16(b, f.IdleTimeout), 0, 0)
	return append64(append64(b, f.Packets), f.Bytes), err
}

// AppendText appends the body as text.
func (f *FlowRemoved) AppendText(b []byte, v Version) []byte {
	b = append(appendKey(b, ' ', "reason"), f.Reason.String()...)
	if v != V10 {
		b = appendDec(appendKey(b, ' ', "table"), f.Table)
	}
	b = appendDec(appendKey(b, ' ', "priority"), f.Priority)
	b = appendHexN(appendKey(b, ' ', "cookie"), f.Cookie, 16)
	b = appendDec(appendKey(b, ' ', "duration_sec"), f.DurationSec)
	b = appendDec(appendKey(b, ' ', "duration_nsec"), f.DurationNsec)
	b = appendTimeouts(b, ' ', f.IdleTimeout, f.HardTimeout)
	b = appendDec(appendKey(b, ' ', "packets"), f.Packets)
	b = appendDec(appendKey(b, ' ', "bytes"), f.Bytes)
	return f.Match.appendText(appendKey(b, ' ', "match"), v)
}

// FlowRemovedCookie is the cookie of an encoded flow-removed, whose other fields are not read; false
// if it is too short.
func FlowRemovedCookie(v Version, frame []byte) (cookie uint64, ok bool) {
	begin := HeaderLen
	if v.FixedMatch() {
		begin += match10Len
	}
	if len(frame) < begin+8 {
		return 0, false
	}
	return be64(frame[begin:]), true
}

// FlowRemovedMatch is the OXM list and the priority of an encoded flow-removed, whose other fields are not read, nor
// the match checked; false if it is too short, or has the match of OpenFlow 1.0.
func FlowRemovedMatch(v Version, frame []byte) (oxm []byte, priority uint16, ok bool) {
	const match = HeaderLen + 40
	if v.FixedMatch() || len(frame) < match+4 {
		return nil, 0, false
	}
	end := match + int(be16(frame[match+2:]))
	if end < match+4 || end > len(frame) {
		return nil, 0, false
	}
	return frame[match+4 : end], be16(frame[HeaderLen+8:]), true
}
