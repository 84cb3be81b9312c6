package topo

import (
	"net/netip"
	"strconv"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/packet"
)

// Topology is a network as it is to be.
type Topology struct {
	Name     string // as it was written: "ring:4", or as the file names it
	Switches []Switch
	Links    []Link // between switches; a host's is in Host
	Hosts    []Host
	Schedule []Event // in order of time
}

// Switch is one switch. Where coordinates are known both are set, in degrees.
type Switch struct {
	Name     string // unique among switches and hosts: "s1"
	DPID     uint64 // unique, not 0
	Lat, Lon *float64
	Profile  *profile.Profile // how it behaves; nil: as the network's Config says
}

// End is one end of a link: a switch, by its index from 0, and its port, from 1.
type End struct {
	Switch int
	Port   uint32
}

// Link joins two ports of switches. A is what was named first; Forward is the way from A to B, Back
// from B to A.
type Link struct {
	ID            string // unique: "s1-s2"; "s1-s2.2" is the second between the two
	A, B          End
	Forward, Back LinkSpec
}

// Host is an end host at a port of a switch. Its link's both ways are alike.
type Host struct {
	Name       string // unique among switches and hosts: "h1"
	MAC        packet.MAC
	IPv4, IPv6 netip.Prefix // address and length of the network; one of them may be missing (not valid)
	VLAN       uint16       // 1 to 4094: its frames are tagged; 0: they are not
	At         End
	Link       LinkSpec
}

// Limits of a network.
const (
	// MaxSwitches is how many switches a network may have.
	MaxSwitches = 100_000
	// MaxLinks is how many links between switches it may have.
	MaxLinks = 500_000
	// MaxHosts is how many hosts it may have.
	MaxHosts = 1_000_000
	// MaxPorts is how many ports a switch may have: with OpenFlow 1.0 all are described in one
	// message of 64 KiB, 48 bytes each after 32.
	MaxPorts = (1<<16 - 1 - 32) / 48
	// MaxPort is the highest number of a port, OFPP_MAX of OpenFlow 1.0.
	MaxPort = 0xff00
)

// LinkID is the id of a host's link, unique among all links: "h1-s1".
func (t *Topology) LinkID(h *Host) string { return h.Name + "-" + t.Switches[h.At.Switch].Name }

// Degrees are how many links to other switches each switch has.
func (t *Topology) Degrees() []int {
	degree := make([]int, len(t.Switches))
	for _, l := range t.Links {
		degree[l.A.Switch]++
		degree[l.B.Switch]++
	}
	return degree
}

// Neighbours lists, for each switch, those it has links with, in order of the links.
func (t *Topology) Neighbours() [][]int {
	next := make([][]int, len(t.Switches))
	for _, l := range t.Links {
		next[l.A.Switch] = append(next[l.A.Switch], l.B.Switch)
		next[l.B.Switch] = append(next[l.B.Switch], l.A.Switch)
	}
	return next
}

// Distances are the numbers of links on the shortest ways from one switch to all; -1 where there is
// none. Next is what Neighbours returned.
func Distances(from int, next [][]int) []int {
	far := make([]int, len(next))
	for i := range far {
		far[i] = -1
	}
	far[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, n := range next[queue[0]] {
			if far[n] < 0 {
				far[n] = far[queue[0]] + 1
				queue = append(queue, n)
			}
		}
	}
	return far
}

// defaultName is that of the i-th switch or host, from 0, where none is given.
func defaultName(letter string, i int) string { return letter + strconv.Itoa(i+1) }
