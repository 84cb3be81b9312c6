package flowsync

import (
	"encoding/binary"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// RemovedFrame is Removed for the bytes of a flow-removed message about an entry of the kind that
// rule sets have; for others it returns false and does nothing. Each rule that is withdrawn causes
// one, and this costs a fraction of Removed.
func (l *Loop) RemovedFrame(dpid netview.DPID, conn Conn, v openflow.Version, frame []byte) bool {
	at := openflow.HeaderLen
	if v == openflow.V10 {
		at += match10Len
	}
	if len(frame) < at+8 {
		return false
	}
	cookie := binary.BigEndian.Uint64(frame[at:])
	if plan.Decode(cookie).Kind != plan.KindIntent || plan.Foreign(cookie, l.config.Domain) {
		return false
	}
	var m openflow.FlowRemoved
	if m.Parse(v, frame[openflow.HeaderLen:]) != nil {
		return false
	}
	e := openflow.FlowStats{Table: m.Table, Priority: m.Priority, Cookie: m.Cookie, Match: m.Match}
	l.mu.Lock()
	defer l.mu.Unlock()
	c, ok := l.sessions[dpid]
	if !ok || c.conn != conn || !l.admit(dpid, c, packedHeader+packedGrowth*len(m.Match.OXM)) {
		return true
	}
	last := len(l.inbox) - 1
	if last >= 0 {
		if in, ok := l.inbox[last].(*RemovedPacked); ok && in.DPID == dpid && in.Session == c.session {
			return in.Entries.pack(&e, c.singleTable)
		}
	}
	in := &RemovedPacked{Address: Address{dpid, c.session}}
	if !in.Entries.pack(&e, c.singleTable) {
		return false
	}
	l.postLocked(in)
	return true
}

// packedGrowth is the cost of a packed match relative to its size, for the growing buffer.
const packedGrowth = 2

// match10Len is the length of struct ofp_match of OpenFlow 1.0.
const match10Len = 40
