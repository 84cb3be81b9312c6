//go:build real

package netlab

import (
	"fmt"
	"testing"
	"time"
)

// place is a port of a network's switch, and how alarms write it.
func (n *Network) place(i, port int) (Place, string) {
	return n.Place(End{Switch: i, Port: port}), fmt.Sprintf("%016x/%d", n.Switches[i].DPID, port)
}

// stays expects the links to be the network's cables and nothing else, again and again for a while.
func (w *Weir) stays(n *Network, while time.Duration) {
	w.lab.t.Helper()
	for end := time.Now().Add(while); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		links, err := w.Links()
		if err != nil {
			w.lab.t.Fatal(err)
		}
		if wrong := n.differ(links, nil); wrong != "" {
			w.lab.t.Errorf("links: %s", wrong)
			return
		}
	}
}

// attacked is how long a test watches for a link that must not appear: several rounds of probes.
const attacked = 8 * time.Second

// TestForgedProbes: a host forges discovery frames, sends genuine ones again that another host has
// overheard, and two hosts relay them to each other. No link is made, each attempt raises its
// alarm, and nobody else loses a packet.
func TestForgedProbes(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		o := l.StartOVS()
		w, nets := underWeir(l, "ring:4,hosts=3", func(int) *OVS { return o })
		both := Both(nets[0], nets[1])
		traffic := talk(o, nets)
		for _, n := range nets {
			a, b, c, d := n.Hosts[2], n.Hosts[8], n.Hosts[5], n.Hosts[11] // the third host of each switch
			for _, attacker := range []*Host{a, b, c, d} {
				attacker.Ping(n.Hosts[0].IP4, 1) // a host is known at the port
			}
			_, at := n.place(2, 3)
			genuine := a.Overheard(30 * time.Second)
			forged := append([]byte{}, genuine...)
			forged[len(forged)-3] ^= 1
			b.Send(forged, forged)
			w.AwaitAlarm("forged-probe", at, 20*time.Second)
			b.Send(a.Overheard(30 * time.Second))
			w.AwaitAlarm("link-at-host", at, 20*time.Second)
			end := l.Relay(c, d)
			l.Eventually(30*time.Second, "an alarm link-at-host about an end of the relay", func() bool {
				_, one := n.place(1, 3)
				_, other := n.place(3, 3)
				return w.alarmed("link-at-host", one) || w.alarmed("link-at-host", other)
			})
			w.stays(both, attacked)
			end()
		}
		for _, f := range traffic.Lost() {
			t.Error(f)
		}
	})
}

// indirect waits until the links between two ends are shown as indirect, both ways.
func (w *Weir) indirect(n *Network, a, b End) {
	w.lab.t.Helper()
	w.lab.Eventually(60*time.Second,
		"the links between "+a.Device+" and "+b.Device+" are shown as indirect, both ways", func() bool {
			return w.state(Direction{n.Place(a), n.Place(b)}) == "indirect" &&
				w.state(Direction{n.Place(b), n.Place(a)}) == "indirect"
		})
}

// state is the state of a link in the view; empty if it is not there.
func (w *Weir) state(d Direction) string {
	w.lab.t.Helper()
	var list struct {
		Items []struct {
			Direction
			State string `json:"state"`
		} `json:"items"`
	}
	if err := w.Get("/v1/links", &list); err != nil {
		w.lab.t.Fatal(err)
	}
	for _, i := range list.Items {
		if i.Direction == d {
			return i.State
		}
	}
	return ""
}

// movedWithin is how many requests, ten a second, a host sends at its new place until one is
// answered: two seconds are promised.
const movedWithin = 20

// TestHostHijack: a host says that it is another one, which is alive: it is refused, with an alarm,
// and the other's packets still reach it. A host whose cable is really moved is believed, and is
// reached at its new place.
func TestHostHijack(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		traffic := talk(o, nets)
		for _, n := range nets {
			victim, thief := n.Hosts[4], n.Hosts[7] // victims of the third switch, thief at the fourth
			home, _ := n.place(2, 1)
			for range 20 {
				thief.Impersonate(victim)
				time.Sleep(100 * time.Millisecond)
				if at, ok := w.Home(victim); !ok || at != home {
					t.Errorf("%s: the view believes that it is at %+v (known %v)", victim.Name, at, ok)
				}
			}
			_, at := n.place(3, 2)
			w.AwaitAlarm("host-hijack", at, 20*time.Second)
		}
		for _, f := range traffic.Lost() {
			t.Error(f)
		}
		for _, n := range nets {
			moving := n.Hosts[1] // from port 2 of the first switch to the second one
			moving.Move(n.Switches[0], n.Switches[1], 30)
			there, _ := n.place(1, 30)
			p := moving.StartPing(n.Hosts[6].IP4, 100*time.Millisecond)
			p.Await(10, 60*time.Second)
			t.Logf("moved: request %d was answered first", p.First())
			if p.First() > movedWithin {
				t.Errorf("%s: request %d was the first to be answered at its new place, want one of the first %d",
					moving.Name, p.First(), movedWithin)
			}
			if at, ok := w.Home(moving); !ok || at != there {
				t.Errorf("%s: the view believes that it is at %+v (known %v), want %+v", moving.Name, at, ok, there)
			}
			if c := n.Hosts[3].Ping(moving.IP4, 5); c.Received == 0 {
				t.Errorf("nobody reaches %s at its new place: %+v", moving.Name, c)
			}
		}
	})
}
