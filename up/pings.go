package up

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/weirnet/weir/emu/topo"
)

// pingsPerPartner is how often a host asks the same partner before it takes another.
const pingsPerPartner = 8

// pinger chooses which host pings which, and counts the answers. The loop owns it.
type pinger struct {
	rand   *rand.Rand
	groups [][]int // hosts that can reach each other, at least two in each
	hosts  []pingHost

	broadcasts int // pings left, of those to a new partner, which begin with a broadcast (ARP or neighbour discovery)
	reachable  int // hosts that are pinged
	answered   int // of them, those that have answered
	lost       uint64
	rtts       []time.Duration // since they were last taken
}

// pingHost is a host and its present partner.
type pingHost struct {
	addr     netip.Addr
	group    []int
	next     int // the host after it in its group, its first partner
	partner  int
	pings    int  // sent to this partner
	resolved bool // the partner has answered this host
	answered bool // it has answered somebody
}

// newPinger groups a topology's hosts. Hosts can reach each other if their switches are connected
// and they have the same IP version in the same VLAN; a host that can reach nobody is left out.
func newPinger(t *topo.Topology, seed uint64) *pinger {
	k := &pinger{rand: rand.New(rand.NewPCG(seed, 0x7570)), hosts: make([]pingHost, len(t.Hosts))}
	part := components(t)
	type subnet struct {
		part int
		vlan uint16
		ip4  bool
	}
	subnets := map[subnet][]int{}
	var order []subnet
	for i := range t.Hosts {
		h := &t.Hosts[i]
		c := subnet{part[h.At.Switch], h.VLAN, h.IPv4.IsValid()}
		k.hosts[i].addr = h.IPv6.Addr()
		if c.ip4 {
			k.hosts[i].addr = h.IPv4.Addr()
		}
		if subnets[c] == nil {
			order = append(order, c)
		}
		subnets[c] = append(subnets[c], i)
	}
	for _, c := range order {
		if members := subnets[c]; len(members) > 1 {
			k.join(members)
		}
	}
	return k
}

// join makes hosts a group: the first partner of each is the next.
func (k *pinger) join(members []int) {
	k.groups = append(k.groups, members)
	k.reachable += len(members)
	for j, i := range members {
		s := &k.hosts[i]
		s.group, s.next = members, members[(j+1)%len(members)]
		s.partner = s.next
	}
}

// components numbers the connected components of a topology, by switch, from 1 on.
func components(t *topo.Topology) []int {
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

// nextPing returns whom a host pings now; ok is false if nobody. It is the next of its group until
// that has answered, then, once every host has answered, others drawn by the seed. The first ping
// to a partner takes one of the broadcasts; without one left the host waits, or keeps its partner.
func (k *pinger) nextPing(i int) (to netip.Addr, ok bool) {
	s := &k.hosts[i]
	if s.group == nil {
		return netip.Addr{}, false
	}
	if k.answered == k.reachable && s.pings >= pingsPerPartner && k.broadcasts > 0 {
		s.pings, s.resolved = 0, false
		s.partner = s.group[k.rand.IntN(len(s.group))]
		if s.partner == i {
			s.partner = s.next
		}
	}
	if !s.resolved {
		if k.broadcasts == 0 {
			return netip.Addr{}, false
		}
		k.broadcasts--
	}
	s.pings++
	return k.hosts[s.partner].addr, true
}

// noteReply records the answer to a host's last ping.
func (k *pinger) noteReply(i int, roundTrip time.Duration) {
	k.hosts[i].resolved = true
	if p := &k.hosts[k.hosts[i].partner]; !p.answered {
		p.answered = true
		k.answered++
	}
	k.rtts = append(k.rtts, roundTrip)
}

// noteLost records a ping without an answer in time. Those lost before every host has answered once
// belong to the start and are not counted.
func (k *pinger) noteLost() {
	if k.answered == k.reachable {
		k.lost++
	}
}

// takeRTTs returns the number of answers since the last call, and percentiles of their round trips.
func (k *pinger) takeRTTs() (n int, p50, p99 time.Duration) {
	if n = len(k.rtts); n > 0 {
		slices.Sort(k.rtts)
		p50, p99 = k.rtts[n/2], k.rtts[min(n*99/100, n-1)]
	}
	k.rtts = k.rtts[:0]
	return n, p50, p99
}
