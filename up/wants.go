package up

import (
	"fmt"
	"math/rand/v2"

	"github.com/weirnet/weir/emu/topo"
)

// want is an intent between two hosts, by their places in the topology, and what was sent over it.
type want struct {
	id       string
	from, to int
}

// newWants draws pairs of hosts that can reach each other: each pair once, and as many as there are at most.
func newWants(k *talk, n int, seed uint64) (list []want) {
	r := rand.New(rand.NewPCG(seed, 0x77616e74))
	pairs := 0
	for _, g := range k.groups {
		pairs += len(g) * (len(g) - 1) / 2
	}
	had := make(map[[2]int]bool)
	for len(list) < min(n, pairs) {
		a := r.IntN(len(k.hosts))
		g := k.hosts[a].group
		if g == nil {
			continue
		}
		b := g[r.IntN(len(g))]
		pair := [2]int{min(a, b), max(a, b)}
		if a == b || had[pair] {
			continue
		}
		had[pair] = true
		list = append(list, want{id: fmt.Sprintf("demo-%d", len(list)+1), from: a, to: b})
	}
	return list
}

// hostID is the id that the instance gives a host.
func hostID(h *topo.Host) string {
	if h.VLAN != 0 {
		return fmt.Sprintf("%s/%d", h.MAC, h.VLAN)
	}
	return h.MAC.String()
}

// Wanted is how the intents are that were asked for.
type Wanted struct {
	All       int
	States    map[string]int // how many are in each state
	Installed int            // those that have been installed, at any time
	Reroutes  int            // how often one left a path that had failed
	Sent      uint64         // packets that hosts have sent over intents, of those series that are over
	Lost      uint64         // of them, those that had no answer
	Cuts      int            // of links, since the start
	Cut       int            // links that are cut now
}

// asked is what is known of the intents, by the events of the interface.
type asked struct {
	states    map[string]string // by id
	installed map[string]bool
	reroutes  int
}

func newAsked(list []want) *asked {
	a := &asked{states: make(map[string]string, len(list)), installed: map[string]bool{}}
	for i := range list {
		a.states[list[i].id] = ""
	}
	return a
}

// hear takes an event: an intent's state, or that it is gone.
func (a *asked) hear(id, state string, gone bool) {
	was, ours := a.states[id]
	if !ours {
		return
	}
	if gone {
		state = ""
	}
	if state == stateRerouting && was != stateRerouting {
		a.reroutes++
	}
	if state == stateInstalled {
		a.installed[id] = true
	}
	a.states[id] = state
}

// The states that are looked at.
const (
	stateInstalled = "installed"
	stateRerouting = "rerouting"
)

// counts are how many are in each state.
func (a *asked) counts() map[string]int {
	n := map[string]int{}
	for _, s := range a.states {
		if s != "" {
			n[s]++
		}
	}
	return n
}

// spare draws a link of a network that holds together without it and without those that are cut; -1 if there is none.
func spare(t *topo.Topology, cut map[int]bool, r *rand.Rand) int {
	for range 4 * len(t.Links) {
		i := r.IntN(len(t.Links))
		if cut[i] {
			continue
		}
		rest := *t
		rest.Links = nil
		for j := range t.Links {
			if j != i && !cut[j] {
				rest.Links = append(rest.Links, t.Links[j])
			}
		}
		before, after := parts(t), parts(&rest)
		if most(before) == most(after) {
			return i
		}
	}
	return -1
}

// most is how many parts there are.
func most(part []int) (n int) {
	for _, p := range part {
		n = max(n, p)
	}
	return n
}
