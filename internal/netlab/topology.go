package netlab

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Topology is a network to build: switches 0..Switches-1, the pairs of them that are joined, and
// the switch of each host.
type Topology struct {
	Switches int
	Links    [][2]int
	Hosts    []int
}

var description = regexp.MustCompile(`^(linear|ring|tree|torus|full):(\d+)(?:[x,](\d+))?(?:,hosts=(\d+))?$`)

// Parse reads a description: linear:N, ring:N, tree:DEPTH,FANOUT, torus:NxM, full:N, each with
// ",hosts=H" hosts a switch (default 1; in a tree, on the lowest switches only).
func Parse(text string) (Topology, error) {
	m := description.FindStringSubmatch(text)
	if m == nil || (m[3] != "") != (m[1] == "tree" || m[1] == "torus") {
		return Topology{},
			fmt.Errorf("topology %q: want linear:N, ring:N, tree:DEPTH,FANOUT, torus:NxM or full:N, and ,hosts=H", text)
	}
	n, _ := strconv.Atoi(m[2])
	k, _ := strconv.Atoi(m[3])
	hosts := 1
	if m[4] != "" {
		hosts, _ = strconv.Atoi(m[4])
	}
	switch m[1] {
	case "linear":
		return line(n).withHosts(hosts, 0), nil
	case "ring":
		return ring(n).withHosts(hosts, 0), nil
	case "torus":
		return torus(n, k).withHosts(hosts, 0), nil
	case "full":
		return full(n).withHosts(hosts, 0), nil
	default:
		topology, leaves := tree(n, k)
		return topology.withHosts(hosts, leaves), nil
	}
}

// withHosts puts hosts at every switch from the first one on.
func (t Topology) withHosts(hosts, first int) Topology {
	for s := first; s < t.Switches; s++ {
		for range hosts {
			t.Hosts = append(t.Hosts, s)
		}
	}
	return t
}

func (t *Topology) link(a, b int) {
	pair := [2]int{min(a, b), max(a, b)}
	if a != b && !slices.Contains(t.Links, pair) {
		t.Links = append(t.Links, pair)
	}
}

func line(n int) Topology {
	t := Topology{Switches: n}
	for i := 1; i < n; i++ {
		t.link(i-1, i)
	}
	return t
}

func ring(n int) Topology {
	t := line(n)
	t.link(n-1, 0)
	return t
}

func full(n int) Topology {
	t := Topology{Switches: n}
	for i := range n {
		for j := range i {
			t.link(j, i)
		}
	}
	return t
}

func torus(n, m int) Topology {
	t := Topology{Switches: n * m}
	for i := range n {
		for j := range m {
			t.link(i*m+j, i*m+(j+1)%m)
			t.link(i*m+j, (i+1)%n*m+j)
		}
	}
	return t
}

// tree numbers its switches level by level and returns the first of the lowest.
func tree(depth, fanout int) (t Topology, leaves int) {
	t.Switches = 1
	for level := 1; level < depth; level++ {
		above, first := leaves, t.Switches
		leaves = first
		for s := above; s < first; s++ {
			for range fanout {
				t.link(s, t.Switches)
				t.Switches++
			}
		}
	}
	return t, leaves
}
