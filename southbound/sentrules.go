package southbound

import (
	"sort"

	"github.com/weirnet/weir/openflow"
)

// sentRulesMax is how many of the rules that were last sent to a switch are kept at least, to find
// the one that an error refuses: a switch may show only the first 64 bytes of what it refuses, and
// the match goes beyond. Those that a barrier has confirmed go: when so many are there as
// sentRulesDue says, the next barrier is asked to tell, so that a switch takes some KB and not, in
// time, 40.
const (
	sentRulesMax = 1024
	sentRulesDue = 64
)

// sentRules are the rules that were last sent to a switch and may still be refused, in the order of
// their transaction ids.
type sentRules struct {
	rules []sentRule
	asked bool // a barrier that is on its way will tell
}

type sentRule struct {
	xid    uint32
	length uint8
	match  [27]byte // a pair's takes 26
	cookie uint64
}

// record keeps a rule. One with a longer match than a pair's is not the application's.
func (r *sentRules) record(xid uint32, m *openflow.FlowMod) {
	s := sentRule{xid: xid, length: uint8(len(m.Match.OXM)), cookie: m.Cookie}
	if copy(s.match[:], m.Match.OXM) < len(m.Match.OXM) {
		return
	}
	if len(r.rules) == 2*sentRulesMax {
		r.rules = append(r.rules[:0], r.rules[sentRulesMax:]...)
	}
	r.rules = append(r.rules, s)
}

// due reports whether the barrier that is sent now has to say when the rules up to last are
// confirmed.
func (r *sentRules) due() (last uint32, ask bool) {
	if r.asked || len(r.rules) < sentRulesDue {
		return 0, false
	}
	r.asked = true
	return r.rules[len(r.rules)-1].xid, true
}

// confirmed forgets the rules up to last: no error about them can come any more.
func (r *sentRules) confirmed(last uint32) {
	left := r.rules[r.after(last+1):]
	if len(left) == 0 && cap(r.rules) > 4*sentRulesDue {
		r.rules = nil
		return
	}
	r.rules = append(r.rules[:0], left...)
}

// after is where the rules from a transaction id on begin.
func (r *sentRules) after(xid uint32) int {
	return sort.Search(len(r.rules), func(i int) bool { return int32(r.rules[i].xid-xid) >= 0 })
}

// find looks a rule up.
func (r *sentRules) find(xid uint32) (m openflow.Match, cookie uint64, ok bool) {
	i := r.after(xid)
	if i == len(r.rules) || r.rules[i].xid != xid {
		return m, 0, false
	}
	s := &r.rules[i]
	return openflow.Match{OXM: append([]byte(nil), s.match[:s.length]...)}, s.cookie, true
}
