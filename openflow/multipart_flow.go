package openflow

// FlowRequest asks for the flow entries that its fields select; the answer is a FlowStatsList.
type FlowRequest struct{ FlowFilter }

// FlowFilter selects flow entries.
type FlowFilter struct {
	Table      uint8  // TableAll for all
	OutPort    uint32 // PortAny for no filter
	OutGroup   uint32 // OpenFlow 1.3; GroupAny for no filter
	Cookie     uint64 // OpenFlow 1.3
	CookieMask uint64 // OpenFlow 1.3: bits of Cookie that must match
	Match      Match
}

// flowFilterLen13 is the length of struct ofp_flow_stats_request before its match.
const flowFilterLen13 = 32

// Kind is MultipartFlow.
func (*FlowRequest) Kind() MultipartType { return MultipartFlow }

func (*FlowRequest) isRequest() {}

func (f *FlowFilter) parse(v Version, body []byte) error {
	var a arena
	if v == V10 {
		f.Table, f.OutPort, f.OutGroup = body[40], portFrom10(be16(body[42:])), GroupAny
		_, err := f.Match.parse(v, body, &a)
		return err
	}
	f.Table, f.OutPort, f.OutGroup = body[0], be32(body[4:]), be32(body[8:])
	f.Cookie, f.CookieMask = be64(body[16:]), be64(body[24:])
	n, err := f.Match.parse(v, body[flowFilterLen13:], &a)
	if err != nil {
		return err
	}
	if rest := len(body) - flowFilterLen13 - n; rest > 0 {
		return refuse(BadRequestBadLen, "%d bytes after the match", rest)
	}
	return nil
}

func (f *FlowFilter) append(b []byte, v Version) ([]byte, error) {
	if v == V10 {
		port, err := portTo10(f.OutPort)
		if err != nil {
			return b, err
		}
		if b, err = f.Match.append(b, v); err != nil {
			return b, err
		}
		return append16(append(b, f.Table, 0), port), nil
	}
	b = append32(append(b, f.Table, 0, 0, 0), f.OutPort)
	b = appendPad(append32(b, f.OutGroup), 4)
	b = append64(append64(b, f.Cookie), f.CookieMask)
	return f.Match.append(b, v)
}

// appendText prints the filters. What is none or any is left out.
func (f *FlowFilter) appendText(b []byte, v Version) []byte {
	b = appendTable(appendKey(b, ' ', "table"), f.Table)
	if f.OutPort != PortAny {
		b = appendPort(appendKey(b, ' ', "out_port"), f.OutPort)
	}
	if v != V10 && f.OutGroup != GroupAny {
		b = appendGroup(appendKey(b, ' ', "out_group"), f.OutGroup)
	}
	if v != V10 && (f.Cookie != 0 || f.CookieMask != 0) {
		b = appendHexN(appendKey(b, ' ', "cookie"), f.Cookie, 16)
		b = appendHexN(appendKey(b, ' ', "cookie_mask"), f.CookieMask, 16)
	}
	return f.Match.appendText(appendKey(b, ' ', "match"), v)
}
