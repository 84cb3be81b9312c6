package flowsync

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// RemovedFrame is Removed for the bytes of a flow-removed message about an entry of the kind that
// rule sets have; for others it returns false and does nothing. Each rule that is withdrawn causes
// one, and this costs a fraction of Removed.
func (l *Loop) RemovedFrame(at Address, v openflow.Version, frame []byte) bool {
	cookie, whole := openflow.FlowRemovedCookie(v, frame)
	if !whole || plan.Decode(cookie).Kind != plan.KindIntent || plan.Foreign(cookie, l.config.Domain) {
		return false
	}
	var m openflow.FlowRemoved
	if m.Parse(v, frame[openflow.HeaderLen:]) != nil {
		return false
	}
	e := openflow.FlowStats{Table: m.Table, Priority: m.Priority, Cookie: m.Cookie, Match: m.Match}
	return l.inbox.postPacked(at, &e)
}

// postPacked posts a removed entry, behind others of its session in one input; false if it cannot be packed.
func (b *inbox) postPacked(at Address, e *openflow.FlowStats) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.current(at)
	if !ok || !b.admit(at.DPID, c, packedHeader+packedGrowth*len(e.Match.OXM)) {
		return true
	}
	last := len(b.inputs) - 1
	if last >= 0 {
		if in, ok := b.inputs[last].(*RemovedPacked); ok && in.Address == at {
			return in.Entries.pack(e, c.singleTable)
		}
	}
	in := &RemovedPacked{Address: at}
	if !in.Entries.pack(e, c.singleTable) {
		return false
	}
	b.postLocked(in)
	return true
}

// packedGrowth is the cost of a packed match relative to its size, for the growing buffer.
const packedGrowth = 2
