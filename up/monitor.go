package up

import (
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/netview"
)

// monitor makes States from the network and the instance's view.
type monitor struct {
	topology string
	api      string
	network  *emu.Network
	view     *netview.View
	tenants  func() int
	pinger   *pinger
	workload *workload // nil: no intents are asked for

	last     emu.Totals
	at       time.Duration // of the last state
	answered time.Duration
}

// confirmedLinks counts the links that are confirmed in both directions. Links remembered from an
// earlier network are not confirmed.
func (w *monitor) confirmedLinks() (n int) {
	for there, back := range w.view.Snapshot().LinkPairs() {
		if confirmed(there) && confirmed(back) {
			n++
		}
	}
	return n
}

func confirmed(l *netview.Link) bool { return l != nil && l.Up && l.State == netview.LinkConfirmed }

// connected counts the switches that are connected to the instance.
func (w *monitor) connected() (n int) {
	for sw := range w.view.Snapshot().Switches() {
		if sw.Connected {
			n++
		}
	}
	return n
}

// alarms counts the active alarms.
func (w *monitor) alarms() (n int) {
	for a := range w.view.Snapshot().Alarms() {
		if a.Active {
			n++
		}
	}
	return n
}

// complete reports whether every switch is connected, every link is found, and every host has
// answered.
func (w *monitor) complete(t *emu.Totals) bool {
	return w.pinger.answered == w.pinger.reachable && w.view.Snapshot().Counts().Links >= 2*t.Links &&
		w.connected() == t.Switches && w.confirmedLinks() == t.Links
}

// state makes the State at an age of the network.
func (w *monitor) state(age time.Duration) *State {
	t := w.network.Totals()
	if w.answered == 0 && w.complete(&t) {
		w.answered = age
	}
	since := max((age - w.at).Seconds(), 1e-3)
	n, p50, p99 := w.pinger.takeRTTs()
	s := &State{
		Topology: w.topology, API: w.api, Age: age,
		Switches: Progress{w.connected(), t.Switches}, Links: Progress{w.confirmedLinks(), t.Links},
		Hosts: Progress{w.pinger.answered, w.pinger.reachable}, Unreachable: t.Hosts - w.pinger.reachable,
		Tenants: w.tenants(), Learned: w.view.Snapshot().Counts().Hosts, Flows: int(t.Entries),
		PacketIns: float64(t.PacketIns-w.last.PacketIns) / since, FlowMods: float64(t.FlowMods-w.last.FlowMods) / since,
		Hops:  float64(t.PacketHops-w.last.PacketHops) / since,
		Pings: float64(n) / since, Lost: w.pinger.lost, P50: p50, P99: p99,
		Alarms: w.alarms(), Answered: w.answered,
	}
	f := w.network.Fidelity()
	s.Lagging, s.Fidelity = lagging(&f), fidelitySummary(&f)
	if w.workload != nil {
		s.Intents, s.IntentsAfter = w.workload.state()
	}
	w.last, w.at = t, age
	return s
}
