package up

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/weirnet/weir/emu/topo"
)

// asksOf is how often a host asks the same partner before it takes another.
const asksOf = 8

// talk is who asks whom, and what came of it. It is pure; the loop owns it.
type talk struct {
	rand   *rand.Rand
	groups [][]int // hosts that can reach each other, two at least
	hosts  []speaker

	fresh    int // questions left, of those that begin with a broadcast
	asked    int // hosts that somebody asks
	answered int // of them, those of which an answer was heard
	lost     uint64
	rounds   []time.Duration // of answers since they were last taken
}

// speaker is one host.
type speaker struct {
	addr     netip.Addr
	group    []int
	next     int // the host after it in its group: whom it asks first
	partner  int
	asks     int  // of this partner
	known    bool // the partner has answered this host
	answered bool // an answer of it was heard
}

// newTalk is the talk of a topology's hosts. Hosts can reach each other if their switches are joined, and they speak the same IP in
// the same VLAN; one that can reach nobody is left out.
func newTalk(t *topo.Topology, seed uint64) *talk {
	k := &talk{rand: rand.New(rand.NewPCG(seed, 0x7570)), hosts: make([]speaker, len(t.Hosts))}
	part := parts(t)
	type circle struct {
		part int
		vlan uint16
		ip4  bool
	}
	circles := map[circle][]int{}
	var order []circle
	for i := range t.Hosts {
		h := &t.Hosts[i]
		c := circle{part[h.At.Switch], h.VLAN, h.IPv4.IsValid()}
		k.hosts[i].addr = h.IPv6.Addr()
		if c.ip4 {
			k.hosts[i].addr = h.IPv4.Addr()
		}
		if circles[c] == nil {
			order = append(order, c)
		}
		circles[c] = append(circles[c], i)
	}
	for _, c := range order {
		if members := circles[c]; len(members) > 1 {
			k.join(members)
		}
	}
	return k
}

// join makes hosts a group: each asks the next at first.
func (k *talk) join(members []int) {
	k.groups = append(k.groups, members)
	k.asked += len(members)
	for j, i := range members {
		s := &k.hosts[i]
		s.group, s.next = members, members[(j+1)%len(members)]
		s.partner = s.next
	}
}

// parts numbers the parts of a topology that are joined: by switch.
func parts(t *topo.Topology) []int {
	next, part := t.Neighbours(), make([]int, len(t.Switches))
	n := 0
	for i := range part {
		if part[i] != 0 {
			continue
		}
		n++
		for queue := []int{i}; len(queue) > 0; queue = queue[1:] {
			if part[queue[0]] == 0 {
				part[queue[0]] = n
				queue = append(queue, next[queue[0]]...)
			}
		}
	}
	return part
}

// ask says whom a host asks now; ok is false if it can ask nobody. It asks the next of its group until that has answered, then
// others, drawn by the seed, once everybody has answered. To ask somebody for the first time takes one of the fresh questions,
// since it begins with a broadcast; without one left the host waits, or goes on with whom it knows.
func (k *talk) ask(i int) (to netip.Addr, ok bool) {
	s := &k.hosts[i]
	if s.group == nil {
		return netip.Addr{}, false
	}
	if k.answered == k.asked && s.asks >= asksOf && k.fresh > 0 {
		s.asks, s.known = 0, false
		s.partner = s.group[k.rand.IntN(len(s.group))]
		if s.partner == i {
			s.partner = s.next
		}
	}
	if !s.known {
		if k.fresh == 0 {
			return netip.Addr{}, false
		}
		k.fresh--
	}
	s.asks++
	return k.hosts[s.partner].addr, true
}

// hear notes that a host's question was answered after a time.
func (k *talk) hear(i int, roundTrip time.Duration) {
	k.hosts[i].known = true
	if p := &k.hosts[k.hosts[i].partner]; !p.answered {
		p.answered = true
		k.answered++
	}
	k.rounds = append(k.rounds, roundTrip)
}

// miss notes that one was not answered in time. What is lost before everybody has answered once is the start's.
func (k *talk) miss() {
	if k.answered == k.asked {
		k.lost++
	}
}

// take is how many answers came since it was last called, and their round trips: half took no longer than the first, 99 in
// 100 no longer than the second.
func (k *talk) take() (n int, typical, slow time.Duration) {
	if n = len(k.rounds); n > 0 {
		slices.Sort(k.rounds)
		typical, slow = k.rounds[n/2], k.rounds[min(n*99/100, n-1)]
	}
	k.rounds = k.rounds[:0]
	return n, typical, slow
}
