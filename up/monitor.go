package up

import (
	"time"

	"github.com/weirnet/weir/emu"
)

// monitor makes States from the network and the instance's view.
type monitor struct {
	topology string
	api      string
	network  *emu.Network
	seen     seen
	crew     *crew // of a cluster; nil: the instance is alone
	pinger   *pinger
	workload *workload // nil: no intents are asked for

	last     emu.Totals
	at       time.Duration // of the last state
	answered time.Duration
}

// complete reports whether every switch is connected, every link is found, and every host has
// answered.
func (w *monitor) complete(t *emu.Totals) bool {
	if w.pinger.answered < w.pinger.reachable {
		return false
	}
	k := w.seen.knows()
	return k.directions >= 2*t.Links && k.switches == t.Switches && k.links == t.Links
}

// state makes the State at an age of the network.
func (w *monitor) state(age time.Duration) *State {
	t := w.network.Totals()
	if w.answered == 0 && w.complete(&t) {
		w.answered = age
	}
	since := max((age - w.at).Seconds(), 1e-3)
	n, p50, p99 := w.pinger.takeRTTs()
	k := w.seen.knows()
	s := &State{
		Topology: w.topology, API: w.api, Age: age,
		Switches: Progress{k.switches, t.Switches}, Links: Progress{k.links, t.Links},
		Hosts: Progress{w.pinger.answered, w.pinger.reachable}, Unreachable: t.Hosts - w.pinger.reachable,
		Tenants: k.tenants, Learned: k.hosts, Flows: int(t.Entries),
		PacketIns: float64(t.PacketIns-w.last.PacketIns) / since, FlowMods: float64(t.FlowMods-w.last.FlowMods) / since,
		Hops:  float64(t.PacketHops-w.last.PacketHops) / since,
		Pings: float64(n) / since, Lost: w.pinger.lost, P50: p50, P99: p99,
		Alarms: k.alarms, Answered: w.answered,
	}
	f := w.network.Fidelity()
	s.Lagging, s.Fidelity = lagging(&f), fidelitySummary(&f)
	if w.crew != nil {
		s.Members, s.Kills = w.crew.Members(), w.crew.killed()
	}
	if w.workload != nil {
		s.Intents, s.IntentsAfter = w.workload.state()
	}
	w.last, w.at = t, age
	return s
}
