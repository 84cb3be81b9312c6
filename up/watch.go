package up

import (
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/netview"
)

// watch makes States of what the network and the instance's view are at some moments.
type watch struct {
	topology string
	api      string
	network  *emu.Network
	view     *netview.View
	talk     *talk
	demand   *demand // nil: no intents are asked for

	last     emu.Totals
	at       time.Duration // of the last state
	answered time.Duration
}

// cables is how many links the view has heard both ways. What it remembers of another network does not count.
func (w *watch) cables() (n int) {
	for there, back := range w.view.Snapshot().LinkPairs() {
		if heard(there) && heard(back) {
			n++
		}
	}
	return n
}

func heard(l *netview.Link) bool { return l != nil && l.Up && l.State == netview.LinkConfirmed }

// connected is how many switches are connected to the instance.
func (w *watch) connected() (n int) {
	for sw := range w.view.Snapshot().Switches() {
		if sw.Connected {
			n++
		}
	}
	return n
}

// alarms is how many are active.
func (w *watch) alarms() (n int) {
	for a := range w.view.Snapshot().Alarms() {
		if a.Active {
			n++
		}
	}
	return n
}

// complete says whether everything has answered: every switch is connected, every link is found, every host was heard.
func (w *watch) complete(t *emu.Totals) bool {
	return w.talk.answered == w.talk.asked && w.view.Snapshot().Counts().Links >= 2*t.Links &&
		w.connected() == t.Switches && w.cables() == t.Links
}

// state is how things are at an age.
func (w *watch) state(age time.Duration) *State {
	t := w.network.Totals()
	if w.answered == 0 && w.complete(&t) {
		w.answered = age
	}
	since := max((age - w.at).Seconds(), 1e-3)
	n, typical, slow := w.talk.take()
	s := &State{
		Topology: w.topology, API: w.api, Age: age,
		Switches: Share{w.connected(), t.Switches}, Links: Share{w.cables(), t.Links}, Hosts: Share{w.talk.answered, w.talk.asked}, Alone: t.Hosts - w.talk.asked,
		Found: w.view.Snapshot().Counts().Hosts, Flows: int(t.Entries),
		PacketIns: float64(t.PacketIns-w.last.PacketIns) / since, FlowMods: float64(t.FlowMods-w.last.FlowMods) / since,
		Hops:  float64(t.PacketHops-w.last.PacketHops) / since,
		Pings: float64(n) / since, Lost: w.talk.lost, Typical: typical, Slow: slow,
		Alarms: w.alarms(), Answered: w.answered,
	}
	f := w.network.Fidelity()
	s.Late, s.Kept = late(&f), kept(&f)
	if w.demand != nil {
		s.Wanted, s.WantedAfter = w.demand.state()
	}
	w.last, w.at = t, age
	return s
}
