package paths

import (
	"fmt"
	"slices"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
)

// Path is a path that is asked for: of IPv4 packets with two addresses, which no other has,
// From one port of hosts to another.
type Path struct {
	N        int
	From, To topo.End
	Src, Dst uint32
}

// Set draws paths between switches whose shortest paths have a number of hops (switches); the
// n-th is the same for the same seed.
type Set struct {
	Net   *loadswitch.Network
	Hops  int
	seed  uint64
	ends  [][2]int
	links []int // of each switch
}

// EndPorts is how many ports for hosts each switch has.
const EndPorts = 8

// Max is how many paths have addresses of their own.
const Max = 1 << 24

// New finds the pairs of switches that are so far apart.
func New(net *loadswitch.Network, hops int, seed uint64) (*Set, error) {
	t := net.Topology()
	a := &Set{Net: net, Hops: hops, seed: seed, links: t.Degrees()}
	next := t.Neighbours()
	for from := range next {
		for to, d := range topo.Distances(from, next) {
			if d == hops-1 {
				a.ends = append(a.ends, [2]int{from, to})
			}
		}
	}
	return a, CheckHops(t, hops)
}

// CheckHops finds that a topology has no shortest path of so many switches. Where there is a longer
// one there is one of this length too.
func CheckHops(t *topo.Topology, hops int) error {
	longest, next := 1, t.Neighbours()
	for from := range next {
		if longest >= hops {
			return nil
		}
		longest = max(longest, slices.Max(topo.Distances(from, next))+1)
	}
	if longest < hops {
		return fmt.Errorf("paths of %d switches given, want a topology that has one: the longest in %s has %d",
			hops, t.Name, longest)
	}
	return nil
}

// Random is a number drawn by the seed: the i-th of a path.
func (a *Set) Random(n, i int) uint64 {
	z := a.seed*0x9e3779b97f4a7c15 + uint64(n)*0xd1342543de82ef95 + uint64(i)*0x2545f4914f6cdd1d + 1
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// At is the n-th path.
func (a *Set) At(n int) Path {
	pair := a.ends[a.Random(n, 0)%uint64(len(a.ends))]
	port := func(sw, i int) topo.End {
		return topo.End{Switch: sw, Port: uint32(a.links[sw]) + 1 + uint32(a.Random(n, i)%EndPorts)}
	}
	return Path{N: n, From: port(pair[0], 1), To: port(pair[1], 2),
		Src: 10<<24 | uint32(n)&(Max-1), Dst: 11<<24 | uint32(n)*2654435761&(Max-1)}
}

// Moved is the n-th path with another port of hosts at its end.
func (a *Set) Moved(n int) Path {
	p := a.At(n)
	first := uint32(a.links[p.To.Switch]) + 1
	p.To.Port = first + (p.To.Port-first+1)%EndPorts
	return p
}

// MaxHops is how many switches a path may have that is followed.
const MaxHops = 16

// Mod is the flow-mod of a path for one of its hops, as Weir writes it.
func (p *Path) Mod(command openflow.FlowModCommand, hop [3]uint32) *openflow.FlowMod {
	m := &openflow.FlowMod{Command: command, Table: 1, Priority: 20100, Cookie: uint64(p.N),
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny}
	for field, v := range map[openflow.Field]uint32{openflow.FieldInPort: hop[1], openflow.FieldEthType: uint32(packet.TypeIPv4),
		openflow.FieldIPv4Src: p.Src,
		openflow.FieldIPv4Dst: p.Dst} {
		m.Match.SetUint(field, uint64(v))
	}
	m.Match = m.Match.Canonical()
	if command == openflow.FlowAdd {
		m.Instructions = []openflow.Instruction{openflow.Apply(openflow.Output(hop[2]))}
	}
	return m
}

// Received is what switches have received for a path.
type Received struct {
	First, Last int64 // ages of the network in ns at which its first and last flow-mod were received
	Steps       []loadswitch.Step
}

// Follow follows a path that was asked for, as far as it goes, and reports whether it leads to
// where it was to: over so many switches, if exact. The steps' memory is used again.
func (a *Set) Follow(p *Path, exact bool, t *Received) bool {
	t.Steps = a.Net.Follow(t.Steps[:0], a.Net.Switches[p.From.Switch], p.From.Port, p.Src, p.Dst)
	if len(t.Steps) == 0 {
		return false
	}
	t.First, t.Last = int64(t.Steps[0].At), int64(t.Steps[0].At)
	for i := range t.Steps {
		t.First, t.Last = min(t.First, int64(t.Steps[i].At)), max(t.Last, int64(t.Steps[i].At))
	}
	end := &t.Steps[len(t.Steps)-1]
	return end.Switch.Index == p.To.Switch && end.Out == p.To.Port && (!exact || len(t.Steps) == a.Hops)
}
