package openflow

// A flow monitor is Open vSwitch's extension by which a controller is notified of changes of the
// flow tables: vendor statistics of Nicira in OpenFlow 1.0 (NXST_FLOW_MONITOR,
// include/openflow/nicira-ext.h), an experimenter's multipart of ONF in 1.3 (ONFST_FLOW_MONITOR,
// include/openflow/openflow-1.3.h). The structs and the way they are written are those of its
// lib/ofp-monitor.c.
const (
	onfID               = 0x4f4e4600 // ONF_VENDOR_ID
	niciraFlowMonitor   = 2          // NXST_FLOW_MONITOR
	niciraMonitorPause  = 22         // NXT_FLOW_MONITOR_PAUSED
	niciraMonitorResume = 23         // NXT_FLOW_MONITOR_RESUMED
	onfFlowMonitor      = 1870       // ONFST_FLOW_MONITOR
	onfMonitorPause     = 1871       // ONFT_FLOW_MONITOR_PAUSED
	onfMonitorResume    = 1872       // ONFT_FLOW_MONITOR_RESUMED

	monitorLen    = 16 // struct nx_flow_monitor_request and onf_flow_monitor_request, without the match
	flowUpdateLen = 24 // struct nx_flow_update_full, without match and actions
	abbrevLen     = 8  // struct nx_flow_update_abbrev
)

// monitorHeaderLen is the length of the ids that begin a body: vendor, subtype and, in OpenFlow
// 1.0, four bytes of pad.
func monitorHeaderLen(v Version) int {
	if v == V10 {
		return 12
	}
	return 8
}

// isFlowMonitor reports whether the body of an experimenter's multipart message is one of a flow
// monitor.
func isFlowMonitor(v Version, body []byte) bool {
	if len(body) < monitorHeaderLen(v) {
		return false
	}
	experimenter, kind := be32(body), be32(body[4:])
	if v == V10 {
		return experimenter == niciraID && kind == niciraFlowMonitor
	}
	return experimenter == onfID && kind == onfFlowMonitor
}

func appendMonitorHeader(b []byte, v Version) []byte {
	if v == V10 {
		return appendPad(append32(append32(b, niciraID), niciraFlowMonitor), 4)
	}
	return append32(append32(b, onfID), onfFlowMonitor)
}

// FlowMonitorPause reports whether this message tells that a switch cannot keep up with its flow
// monitors: paused, after which they leave things out, or, if not paused, resumed: all that was
// left out has been told. ok is false for other messages.
func (m *Experimenter) FlowMonitorPause(v Version) (paused, ok bool) {
	pause, resume, experimenter, kind := uint32(onfMonitorPause), uint32(onfMonitorResume), uint32(onfID), m.ExpType
	if v == V10 {
		if len(m.Data) < 4 {
			return false, false
		}
		pause, resume, experimenter, kind = niciraMonitorPause, niciraMonitorResume, niciraID, be32(m.Data)
	}
	return kind == pause, m.Experimenter == experimenter && (kind == pause || kind == resume)
}

// parseMonitorMatch reads a match of n bytes at the beginning of b, with its padding, and returns
// how long it is with that: in OpenFlow 1.0 a list of NXM TLVs, in 1.3 a whole ofp_match, of which
// n is the length.
func (m *Match) parseMonitorMatch(v Version, b []byte, n int, a *arena) (int, error) {
	padded := n + padTo8(n)
	if padded > len(b) {
		return 0, refuse(BadRequestBadLen, "match of %d bytes in %d", n, len(b))
	}
	if v == V10 {
		m.as10 = match10{}
		var err error
		if m.OXM, err = parseNXM(b[:n], a); err != nil {
			return 0, refuse(BadRequestBadLen, "%v", err) // OpenFlow 1.0 has no error for matches
		}
		return padded, nil
	}
	got, err := m.parse(v, b, a)
	if err == nil && matchHeaderLen+len(m.OXM) != n {
		return 0, refuse(BadMatchBadLen, "match of %d bytes, not the %d announced", matchHeaderLen+len(m.OXM), n)
	}
	return got, err
}

// parseNXM reads a list of NXM TLVs. What they mean is made in a.
func parseNXM(b []byte, a *arena) (list []byte, err error) {
	start := len(a.bytes)
	if a.bytes, err = appendFromNXM(a.bytes, b); err != nil {
		return nil, err
	}
	list = view(a.bytes, start, len(a.bytes))
	return list, checkOXM(list, true)
}

// appendMonitorMatch appends a match with its padding and returns its length without.
func (m *Match) appendMonitorMatch(b []byte, v Version) (_ []byte, n int, err error) {
	start := len(b)
	if v != V10 {
		b, err = m.append(b, v)
		return b, matchHeaderLen + len(m.OXM), err
	}
	if b, err = appendNXM(b, m.OXM); err != nil {
		return b, 0, err
	}
	n = len(b) - start
	return appendPad(b, padTo8(n)), n, nil
}
