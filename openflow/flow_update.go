package openflow

import "encoding/binary"

// FlowEvent is what happened to a flow entry (NXFME_*).
type FlowEvent uint16

// The events of a flow monitor.
const (
	FlowAdded       FlowEvent = 0
	FlowDeleted     FlowEvent = 1
	FlowModified    FlowEvent = 2
	FlowAbbreviated FlowEvent = 3 // the change that our own message XID asked for; no other field counts
)

var flowEventNames = []string{"added", "deleted", "modified", "abbreviated"}

// String is the event in lower case: "added".
func (e FlowEvent) String() string { return string(nameOr(nil, flowEventNames, e)) }

// FlowUpdateList is what flow monitors tell. A switch sends all updates for a change before it
// answers a barrier that follows the change.
type FlowUpdateList struct{ Updates []FlowUpdate }

// FlowUpdate is one change of a flow table. Entries are named as in FlowStats.
type FlowUpdate struct {
	Event        FlowEvent
	XID          uint32 // of FlowAbbreviated
	Reason       uint16 // of FlowDeleted: a FlowRemovedReason
	Priority     uint16
	IdleTimeout  uint16 // seconds; 0 never
	HardTimeout  uint16 // seconds; 0 never
	Table        uint8
	Cookie       uint64
	Match        Match
	Instructions []Instruction // if the monitor has MonitorActions
}

// Kind is MultipartExperimenter.
func (*FlowUpdateList) Kind() MultipartType { return MultipartExperimenter }

func (*FlowUpdateList) isReply() {}

func (l *FlowUpdateList) parse(v Version, body []byte) (err error) {
	a, list := arena{report: true}, body[monitorHeaderLen(v):]
	l.Updates, err = parseItems(l.Updates, "flow update", list, 0, abbrevLen, func(u *FlowUpdate, item []byte) error {
		return u.parse(v, item, &a)
	})
	return err
}

func (u *FlowUpdate) parse(v Version, item []byte, a *arena) error {
	if len(item)%8 != 0 {
		return refuse(BadRequestBadLen, "flow update of %d bytes, not a multiple of 8", len(item))
	}
	u.Event = FlowEvent(be16(item[2:]))
	switch {
	case u.Event == FlowAbbreviated && len(item) == abbrevLen:
		u.XID = be32(item[4:])
		return nil
	case u.Event >= FlowAbbreviated || len(item) < flowUpdateLen:
		return refuse(BadRequestBadLen, "flow update %s of %d bytes", u.Event, len(item))
	}
	u.Reason, u.Priority = be16(item[4:]), be16(item[6:])
	u.IdleTimeout, u.HardTimeout = be16(item[8:]), be16(item[10:])
	u.Table, u.Cookie = item[14], be64(item[16:])
	rest := item[flowUpdateLen:]
	n, err := u.Match.parseMonitorMatch(v, rest, int(be16(item[12:])), a)
	if err != nil {
		return err
	}
	u.Instructions, err = parseInstructions(v, rest[n:], nil, a)
	return err
}

func (l *FlowUpdateList) append(b []byte, v Version) ([]byte, error) {
	return appendItems(appendMonitorHeader(b, v), v, l.Updates, 0, (*FlowUpdate).append)
}

// append writes an update with 0 for its length.
func (u *FlowUpdate) append(b []byte, v Version) ([]byte, error) {
	start := len(b)
	b = append16(append16(b, 0), uint16(u.Event))
	if u.Event == FlowAbbreviated {
		return append32(b, u.XID), nil
	}
	b = append16(append16(b, u.Reason), u.Priority)
	b = append16(append16(b, u.IdleTimeout), u.HardTimeout)
	b = append64(append(append16(b, 0), u.Table, 0), u.Cookie)
	b, n, err := u.Match.appendMonitorMatch(b, v)
	if err != nil {
		return b, err
	}
	binary.BigEndian.PutUint16(b[start+12:], uint16(n))
	return appendInstructions(b, v, u.Instructions)
}

func (l *FlowUpdateList) appendText(b []byte, v Version) []byte {
	return appendListText(appendKey(b, ' ', "updates"), v, l.Updates, (*FlowUpdate).appendText)
}

func (u *FlowUpdate) appendText(b []byte, v Version) []byte {
	b = nameOr(appendKey(append(b, '{'), ',', "event"), flowEventNames, u.Event)
	if u.Event == FlowAbbreviated {
		return append(appendHex(appendKey(b, ',', "xid"), u.XID), '}')
	}
	if u.Event == FlowDeleted {
		b = nameOr(appendKey(b, ',', "reason"), removedNames, u.Reason)
	} else if u.Reason != 0 {
		b = appendDec(appendKey(b, ',', "reason"), u.Reason)
	}
	b = appendDec(appendKey(b, ',', "table"), u.Table)
	b = appendDec(appendKey(b, ',', "priority"), u.Priority)
	b = appendHexN(appendKey(b, ',', "cookie"), u.Cookie, 16)
	b = appendTimeouts(b, ',', u.IdleTimeout, u.HardTimeout)
	b = u.Match.appendText(appendKey(b, ',', "match"), v)
	return append(appendInstructionsText(appendKey(b, ',', "instructions"), u.Instructions), '}')
}

func (l *FlowUpdateList) merge(next multipartBody) bool {
	return mergeList(next, func(n *FlowUpdateList) { l.Updates = append(l.Updates, n.Updates...) })
}
