package openflow

import "encoding/binary"

// FlowMonitorFlags say what a flow monitor tells (NXFMF_*, ONFFMF_*).
type FlowMonitorFlags uint16

// The flags of a flow monitor.
const (
	MonitorInitial FlowMonitorFlags = 1 << 0 // first all entries that there are
	MonitorAdd     FlowMonitorFlags = 1 << 1 // entries as they are added
	MonitorDelete  FlowMonitorFlags = 1 << 2 // entries as they go
	MonitorModify  FlowMonitorFlags = 1 << 3 // entries as they change
	MonitorActions FlowMonitorFlags = 1 << 4 // with their instructions
	MonitorOwn     FlowMonitorFlags = 1 << 5 // changes by this connection in full, not abbreviated
)

var monitorFlagNames = []flagName{
	{uint32(MonitorInitial), "initial"}, {uint32(MonitorAdd), "add"}, {uint32(MonitorDelete), "delete"},
	{uint32(MonitorModify), "modify"}, {uint32(MonitorActions), "actions"}, {uint32(MonitorOwn), "own"},
}

// FlowMonitorRequest begins flow monitors; the answer is a FlowUpdateList, and so is, with
// transaction id 0, everything that they tell later.
type FlowMonitorRequest struct{ Monitors []FlowMonitor }

// FlowMonitor is one monitor: of the entries that its fields select, as in a FlowFilter. Its ID is
// the controller's, unique on the connection.
type FlowMonitor struct {
	ID      uint32
	Flags   FlowMonitorFlags
	OutPort uint32 // PortAny for no filter
	Table   uint8  // TableAll for all
	Match   Match
}

// Kind is MultipartExperimenter.
func (*FlowMonitorRequest) Kind() MultipartType { return MultipartExperimenter }

func (*FlowMonitorRequest) isRequest() {}

func (r *FlowMonitorRequest) parse(v Version, body []byte) error {
	var a arena
	for body = body[monitorHeaderLen(v):]; len(body) > 0; {
		if len(body) < monitorLen {
			return refuse(BadRequestBadLen, "%d bytes left, too few for a flow monitor", len(body))
		}
		m := FlowMonitor{ID: be32(body), Flags: FlowMonitorFlags(be16(body[4:]))}
		n := be16(body[6:])
		if v == V10 {
			m.OutPort, n, m.Table = portFrom10(be16(body[6:])), be16(body[8:]), body[10]
		} else {
			m.OutPort, m.Table = be32(body[8:]), body[12]
		}
		used, err := m.Match.parseMonitorMatch(v, body[monitorLen:], int(n), &a)
		if err != nil {
			return err
		}
		r.Monitors = append(r.Monitors, m)
		body = body[monitorLen+used:]
	}
	return nil
}

func (r *FlowMonitorRequest) append(b []byte, v Version) ([]byte, error) {
	return appendEach(appendMonitorHeader(b, v), v, r.Monitors, (*FlowMonitor).append)
}

func (m *FlowMonitor) append(b []byte, v Version) ([]byte, error) {
	start, at := len(b), 6
	b = append16(append32(b, m.ID), uint16(m.Flags))
	if v == V10 {
		port, err := portTo10(m.OutPort)
		if err != nil {
			return b, err
		}
		at = 8
		b = appendPad(append(append16(append16(b, port), 0), m.Table), 5)
	} else {
		b = appendPad(append(append32(append16(b, 0), m.OutPort), m.Table), 3)
	}
	b, n, err := m.Match.appendMonitorMatch(b, v)
	binary.BigEndian.PutUint16(b[start+at:], uint16(n))
	return b, err
}

func (r *FlowMonitorRequest) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "monitors"), v, r.Monitors, (*FlowMonitor).appendText)
}

func (m *FlowMonitor) appendText(b []byte, v Version) []byte {
	b = appendDec(appendKey(append(b, '{'), ',', "id"), m.ID)
	b = appendFlags(appendKey(b, ',', "flags"), uint32(m.Flags), monitorFlagNames)
	if m.OutPort != PortAny {
		b = appendPort(appendKey(b, ',', "out_port"), m.OutPort)
	}
	b = appendTable(appendKey(b, ',', "table"), m.Table)
	return append(m.Match.appendText(appendKey(b, ',', "match"), v), '}')
}

func (r *FlowMonitorRequest) merge(next multipartBody) bool {
	return mergeList(next, func(n *FlowMonitorRequest) { r.Monitors = append(r.Monitors, n.Monitors...) })
}
