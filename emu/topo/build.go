package topo

import (
	"encoding/binary"
	"net/netip"
	"strconv"
)

// builder makes a topology link by link: it knows which port of each switch is the next free one.
type builder struct {
	*Topology
	spec   LinkSpec // of every link
	degree []uint32 // ports in use, by switch
}

// newBuilder begins a network of n switches with the names and datapath ids of their places.
func newBuilder(name string, n int, spec LinkSpec) *builder {
	b := &builder{Topology: &Topology{Name: name, Switches: make([]Switch, n)}, spec: spec, degree: make([]uint32, n)}
	for i := range b.Switches {
		b.Switches[i] = Switch{Name: defaultName("s", i), DPID: uint64(i) + 1}
	}
	return b
}

// join links two switches at their next free ports.
func (b *builder) join(x, y int) {
	b.degree[x]++
	b.degree[y]++
	b.Links = append(b.Links, Link{A: End{x, b.degree[x]}, B: End{y, b.degree[y]}, Forward: b.spec, Back: b.spec})
}

// attach puts hosts at the next free ports of switches: each of them gets that many, those of one
// switch follow each other.
func (b *builder) attach(switches []int, each int) {
	for _, at := range switches {
		for range each {
			b.degree[at]++
			b.Hosts = append(b.Hosts, defaultHost(len(b.Hosts), End{at, b.degree[at]}))
		}
	}
}

// all are the indexes of all switches.
func (b *builder) all() []int {
	list := make([]int, len(b.Switches))
	for i := range list {
		list[i] = i
	}
	return list
}

// finish names the links and checks the whole.
func (b *builder) finish() (*Topology, error) {
	b.nameLinks()
	if err := b.Check(); err != nil {
		return nil, err
	}
	return b.Topology, nil
}

// nameLinks gives each link that has none an id: the names of its ends, and a number from the
// second on.
func (t *Topology) nameLinks() {
	used := make(map[string]bool, len(t.Links))
	for i := range t.Links {
		used[t.Links[i].ID] = true
	}
	for i := range t.Hosts {
		used[t.LinkID(&t.Hosts[i])] = true
	}
	again := make(map[string]int)
	for i := range t.Links {
		l := &t.Links[i]
		if l.ID != "" {
			continue
		}
		name := t.Switches[l.A.Switch].Name + "-" + t.Switches[l.B.Switch].Name
		l.ID = name
		for used[l.ID] {
			again[name] = max(again[name], 1) + 1
			l.ID = name + "." + strconv.Itoa(again[name])
		}
		used[l.ID] = true
	}
}

// defaultHost is the i-th host of a network, from 0, with the addresses of its place: all hosts are
// neighbours of each other.
func defaultHost(i int, at End) Host {
	h := Host{Name: defaultName("h", i), At: at}
	n := uint32(i) + 1
	binary.BigEndian.PutUint32(h.MAC[2:], n)
	h.MAC[0] = 0x02
	v4 := [4]byte{10}
	binary.BigEndian.PutUint32(v4[:], 10<<24|n)
	v6 := [16]byte{0: 0xfd}
	binary.BigEndian.PutUint32(v6[12:], n)
	h.IPv4, h.IPv6 = netip.PrefixFrom(netip.AddrFrom4(v4), 8), netip.PrefixFrom(netip.AddrFrom16(v6), 64)
	return h
}
