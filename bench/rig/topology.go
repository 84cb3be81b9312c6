package rig

import (
	"fmt"
	"strconv"
	"strings"
)

// End is one end of a link: a switch, by its index from 0, and its port, from 1.
type End struct {
	Switch int
	Port   uint32
}

// Link joins two ports.
type Link struct{ A, B End }

// Topology is which switches there are, and how they are joined. Ports of links come first, those of hosts after them.
type Topology struct {
	Name     string // as it was written: "ring:4"
	Switches int
	Links    []Link
	degree   []uint32 // ports that links use, by switch
}

// MaxSwitches is how many switches a topology may have.
const MaxSwitches = 100000

// ParseTopology reads single:N (N switches that are not joined), linear:N, ring:N or wan:N (a mesh that seed draws, with
// about 2N links; wan:206 has 416).
func ParseTopology(s string, seed uint64) (*Topology, error) {
	kind, number, _ := strings.Cut(s, ":")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > MaxSwitches {
		return nil, fmt.Errorf("topology %q given, want KIND:N with N from 1 to %d, such as linear:4", s, MaxSwitches)
	}
	t := &Topology{Name: s, Switches: n, degree: make([]uint32, n)}
	switch {
	case kind == "single":
	case kind == "linear", kind == "ring" && n < 3:
		t.line()
	case kind == "ring":
		t.line()
		t.join(n-1, 0)
	case kind == "wan" && n <= 4096:
		t.mesh(seed)
	default:
		return nil, fmt.Errorf("topology %q given, want single:N, linear:N, ring:N or wan:N (up to 4096)", s)
	}
	return t, nil
}

func (t *Topology) line() {
	for i := 1; i < t.Switches; i++ {
		t.join(i-1, i)
	}
}

// join links two switches at their next free ports.
func (t *Topology) join(a, b int) {
	t.degree[a]++
	t.degree[b]++
	t.Links = append(t.Links, Link{End{a, t.degree[a]}, End{b, t.degree[b]}})
}

// Degree is how many links a switch has.
func (t *Topology) Degree(sw int) int { return int(t.degree[sw]) }

// Distances are the numbers of links on the shortest ways from one switch to all; -1 where there is none.
func (t *Topology) Distances(from int, next [][]int) []int {
	far := make([]int, t.Switches)
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

// Neighbours lists, for each switch, those it has links with.
func (t *Topology) Neighbours() [][]int {
	next := make([][]int, t.Switches)
	for _, l := range t.Links {
		next[l.A.Switch] = append(next[l.A.Switch], l.B.Switch)
		next[l.B.Switch] = append(next[l.B.Switch], l.A.Switch)
	}
	return next
}
