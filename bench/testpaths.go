package bench

import (
	"fmt"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/emu/topo"
)

// testPath is a path that is asked for: of IPv4 packets with two addresses, which no other has,
// from one port of hosts to another.
type testPath struct {
	n        int
	from, to topo.End
	src, dst uint32
}

// testPaths draws paths between switches whose shortest paths have a number of hops (switches); the
// n-th is the same for the same seed.
type testPaths struct {
	net   *loadswitch.Network
	hops  int
	seed  uint64
	ends  [][2]int
	links []int // of each switch
}

// endPorts is how many ports for hosts each switch has.
const endPorts = 8

// maxPaths is how many paths have addresses of their own.
const maxPaths = 1 << 24

// newTestPaths finds the pairs of switches that are so far apart.
func newTestPaths(net *loadswitch.Network, hops int, seed uint64) (*testPaths, error) {
	t := net.Topology()
	a := &testPaths{net: net, hops: hops, seed: seed, links: t.Degrees()}
	next := t.Neighbours()
	longest := 0
	for from := range next {
		for to, d := range topo.Distances(from, next) {
			longest = max(longest, d+1)
			if d == hops-1 {
				a.ends = append(a.ends, [2]int{from, to})
			}
		}
	}
	if len(a.ends) == 0 {
		return nil, fmt.Errorf("paths of %d switches given, want a topology that has one: the longest in %s has %d",
			hops, t.Name, longest)
	}
	return a, nil
}

// random is a number drawn by the seed: the i-th of a path.
func (a *testPaths) random(n, i int) uint64 {
	z := a.seed*0x9e3779b97f4a7c15 + uint64(n)*0xd1342543de82ef95 + uint64(i)*0x2545f4914f6cdd1d + 1
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// at is the n-th path.
func (a *testPaths) at(n int) testPath {
	pair := a.ends[a.random(n, 0)%uint64(len(a.ends))]
	port := func(sw, i int) topo.End {
		return topo.End{Switch: sw, Port: uint32(a.links[sw]) + 1 + uint32(a.random(n, i)%endPorts)}
	}
	return testPath{n: n, from: port(pair[0], 1), to: port(pair[1], 2),
		src: 10<<24 | uint32(n)&(maxPaths-1), dst: 11<<24 | uint32(n)*2654435761&(maxPaths-1)}
}

// moved is the n-th path with another port of hosts at its end.
func (a *testPaths) moved(n int) testPath {
	p := a.at(n)
	first := uint32(a.links[p.to.Switch]) + 1
	p.to.Port = first + (p.to.Port-first+1)%endPorts
	return p
}

// received is what switches have received for a path.
type received struct {
	first, last int64 // ages of the network in ns at which its first and last flow-mod were received
	steps       []loadswitch.Step
}

// follow follows a path that was asked for, as far as it goes, and reports whether it leads to
// where it was to: over so many switches, if exact. The steps' memory is used again.
func (a *testPaths) follow(p *testPath, exact bool, t *received) bool {
	t.steps = a.net.Follow(t.steps[:0], a.net.Switches[p.from.Switch], p.from.Port, p.src, p.dst)
	if len(t.steps) == 0 {
		return false
	}
	t.first, t.last = int64(t.steps[0].At), int64(t.steps[0].At)
	for i := range t.steps {
		t.first, t.last = min(t.first, int64(t.steps[i].At)), max(t.last, int64(t.steps[i].At))
	}
	end := &t.steps[len(t.steps)-1]
	return end.Switch.Index == p.to.Switch && end.Out == p.to.Port && (!exact || len(t.steps) == a.hops)
}
