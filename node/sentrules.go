package node

import (
	"sort"

	"github.com/weirnet/weir/openflow"
)

// sentRulesMax is how many of the rules that were last sent to a switch are kept, to find the one that an error refuses:
// a switch may show only the first 64 bytes of what it refuses, and the match goes beyond.
const sentRulesMax = 1024

// sentRules are the rules that were last sent to a switch, in a ring, in the order of their transaction ids.
type sentRules struct {
	ring []sentRule
	next int // where the next one goes, once the ring has its size
}

type sentRule struct {
	xid    uint32
	length uint8
	match  [27]byte // a pair's takes 26
	cookie uint64
}

// note keeps a rule. One with a longer match than a pair's is not the application's.
func (r *sentRules) note(xid uint32, m *openflow.FlowMod) {
	s := sentRule{xid: xid, length: uint8(len(m.Match.OXM)), cookie: m.Cookie}
	if copy(s.match[:], m.Match.OXM) < len(m.Match.OXM) {
		return
	}
	if len(r.ring) < sentRulesMax {
		r.ring = append(r.ring, s)
		return
	}
	r.ring[r.next] = s
	r.next = (r.next + 1) % sentRulesMax
}

// find looks a rule up.
func (r *sentRules) find(xid uint32) (m openflow.Match, cookie uint64, ok bool) {
	at := func(i int) *sentRule { return &r.ring[(r.next+i)%len(r.ring)] }
	i := sort.Search(len(r.ring), func(i int) bool { return int32(at(i).xid-xid) >= 0 })
	if i == len(r.ring) || at(i).xid != xid {
		return m, 0, false
	}
	s := at(i)
	return openflow.Match{OXM: append([]byte(nil), s.match[:s.length]...)}, s.cookie, true
}

// refused tells the application of an error, if it refuses a rule of it.
func (d *device) refused(xid uint32, e *openflow.ErrorMsg) {
	if d.datapath == nil {
		return
	}
	d.out.mu.Lock()
	m, cookie, ok := d.out.sent.find(xid)
	d.out.mu.Unlock()
	if ok {
		d.datapath.Refused(m, cookie, e.Code)
	}
}
