//go:build real

package netlab

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// own is the address at which a switch calls Weir.
func (s Switch) own() string {
	return strings.ReplaceAll(ownAddress, "{N}", fmt.Sprint(s.DPID))
}

// TestControlSessionCut: the control session of one switch in each network is cut, half open, then
// those of all switches. The switches keep their paths, nobody loses a packet, and when the
// sessions are back nothing is written.
func TestControlSessionCut(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		both := Both(nets[0], nets[1])
		all := len(both.Switches)
		traffic := talk(o, nets)
		one := []Switch{nets[0].Switches[1], nets[1].Switches[1]}
		for _, cut := range [][]Switch{one, both.Switches} {
			begin := time.Now()
			for _, s := range cut {
				l.Sever(s.own())
			}
			l.Eventually(120*time.Second, "the sessions that were cut are found dead, and no other", func() bool {
				return w.connected() == all-len(cut)
			})
			for _, s := range cut {
				w.AwaitAlarm("stuck-switch", fmt.Sprintf("%016x", s.DPID), 20*time.Second)
			}
			if len(cut) == all {
				w.AwaitAlarm("control-network", "", 20*time.Second)
			}
			for _, s := range cut {
				l.Mend(s.own())
			}
			w.awaitSettled(both)
			w.AwaitLinks(both, 60*time.Second)
			both.fewWrites(t, begin)
			for _, f := range traffic.Lost() {
				t.Errorf("%d of %d sessions were cut: %s", len(cut), all, f)
			}
		}
		for _, n := range nets {
			once(t, n, n.Hosts[0])
		}
	})
}

// TestSwitchStops: one switch of each ring stops, data and control, as a machine that hangs does.
// Nobody whose path does not pass it loses a packet; the paths of the others stay, because nobody
// can know that it does not forward either; and when it goes on everything is as before.
func TestSwitchStops(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		o, stopping := l.StartOVS(), l.StartOVSBeside()
		w, nets := underWeir(l, "ring:4,hosts=1", func(i int) *OVS {
			if i == 1 {
				return stopping
			}
			return o
		})
		both := Both(nets[0], nets[1])
		traffic := o.StartTraffic()
		for _, n := range nets {
			traffic.Ping(n.Hosts[0], n.Hosts[3], false, 100*time.Millisecond)
			traffic.Ping(n.Hosts[3], n.Hosts[2], true, 100*time.Millisecond)
		}
		traffic.Baseline()
		want := both.firm()
		stopping.Switches.Stop()
		l.Eventually(120*time.Second, "the switches that stopped are found dead",
			func() bool { return w.connected() == len(both.Switches)-2 })
		for _, n := range nets {
			w.AwaitAlarm("stuck-switch", fmt.Sprintf("%016x", n.Switches[1].DPID), 20*time.Second)
		}
		w.AwaitLinks(both, 60*time.Second) // unknown is not down
		for _, f := range traffic.Lost() {
			t.Errorf("its path does not pass the switch that stopped: %s", f)
		}
		stopping.Switches.Continue()
		w.awaitSettled(both)
		w.AwaitLinks(both, 60*time.Second)
		both.awaitFirm(want, repairLimit)
		for _, f := range traffic.Lost() {
			t.Errorf("its path does not pass the switch that goes on: %s", f)
		}
		for _, n := range nets {
			n.awaitBroadcasts(60 * time.Second)
			once(t, n, n.Hosts[0])
			reachable(t, n)
		}
	})
}
