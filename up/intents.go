package up

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/weirnet/weir/emu/topo"
)

// demoIntent is an intent between two hosts, given by their indices in the topology.
type demoIntent struct {
	id       string
	from, to int
}

// newDemoIntents draws at most n different pairs of hosts that can reach each other.
func newDemoIntents(k *pinger, n int, seed uint64) (list []demoIntent) {
	r := rand.New(rand.NewPCG(seed, 0x77616e74))
	pairs := 0
	for _, g := range k.groups {
		pairs += len(g) * (len(g) - 1) / 2
	}
	drawn := make(map[[2]int]bool)
	for len(list) < min(n, pairs) {
		a := r.IntN(len(k.hosts))
		g := k.hosts[a].group
		if g == nil {
			continue
		}
		b := g[r.IntN(len(g))]
		pair := [2]int{min(a, b), max(a, b)}
		if a == b || drawn[pair] {
			continue
		}
		drawn[pair] = true
		list = append(list, demoIntent{id: fmt.Sprintf("demo-%d", len(list)+1), from: a, to: b})
	}
	return list
}

// hostID returns the id of a host in the API.
func hostID(h *topo.Host) string {
	if h.VLAN != 0 {
		return fmt.Sprintf("%s/%d", h.MAC, h.VLAN)
	}
	return h.MAC.String()
}

// IntentStats counts the intents that were asked for, and the packets sent over them.
type IntentStats struct {
	All           int
	States        map[string]int // number in each state
	EverInstalled int            // those that were installed at any time
	Reroutes      int            // how often one left a failed path
	Sent          uint64         // packets of the finished series of pings
	Lost          uint64         // of them, those without an answer
	Cuts          int            // link cuts since the start
	CutNow        int            // links that are down now
}

// intentStates keeps the intents' states, from the API's events.
type intentStates struct {
	states    map[string]string // by id
	installed map[string]bool
	reroutes  int
}

func newIntentStates(list []demoIntent) *intentStates {
	a := &intentStates{states: make(map[string]string, len(list)), installed: map[string]bool{}}
	for i := range list {
		a.states[list[i].id] = ""
	}
	return a
}

// update applies an event: an intent's state, or its deletion.
func (a *intentStates) update(id, state string, gone bool) {
	was, known := a.states[id]
	if !known {
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

// The states that are told apart.
const (
	stateInstalled = "installed"
	stateRerouting = "rerouting"
)

// counts returns the number of intents in each state.
func (a *intentStates) counts() map[string]int {
	n := map[string]int{}
	for _, s := range a.states {
		if s != "" {
			n[s]++
		}
	}
	return n
}

// redundantLink draws a link whose loss, beside those cut already, does not partition the network;
// -1 if there is none.
func redundantLink(t *topo.Topology, cut map[int]bool, r *rand.Rand) int {
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
		if slices.Max(components(t)) == slices.Max(components(&rest)) { // as many components as before
			return i
		}
	}
	return -1
}
