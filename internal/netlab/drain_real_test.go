//go:build real

package netlab

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestDrainUnderTraffic: a link, then a switch that others' paths pass are drained and taken back,
// under traffic. Nobody loses a packet, and while the switch is drained the paths of others do not
// pass it.
func TestDrainUnderTraffic(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		_, o, nets := twoNetworks(l)
		traffic := talk(o, nets, 5*time.Second)
		weir := BuiltWeir(t)
		for _, n := range nets {
			a, b := n.Place(n.Cables[0].A), n.Place(n.Cables[0].B)
			link := fmt.Sprintf("%s/%d->%s/%d", a.DPID, a.Port, b.DPID, b.Port)
			dpid := fmt.Sprintf("%016x", n.Switches[1].DPID)
			if n.transit(1) == 0 {
				t.Errorf("no path of others passes %s: the test shows nothing", dpid)
			}
			for _, what := range [][]string{{"link", link}, {"switch", dpid}} {
				l.Run(weir, append([]string{"drain", "--wait", "--api", API, "--data-dir", l.dir}, what...)...)
				for _, f := range traffic.Lost() {
					t.Errorf("%s %s is drained: %s", what[0], what[1], f)
				}
				if what[0] == "switch" {
					l.Eventually(30*time.Second, "only its own hosts' paths pass the switch", func() bool {
						return n.transit(1) == 0
					})
				}
				l.Run(weir, append([]string{"undrain", "--api", API, "--data-dir", l.dir}, what...)...)
				for _, f := range traffic.Lost() {
					t.Errorf("%s %s is taken back: %s", what[0], what[1], f)
				}
			}
		}
	})
}

// transit counts the soft rules of a switch that are of no pair of its own hosts, two at each
// switch.
func (n *Network) transit(i int) (rules int) {
	for _, r := range n.Switches[i].Rules() {
		if r.Soft && !strings.Contains(r.Text, n.Hosts[2*i].MAC) && !strings.Contains(r.Text, n.Hosts[2*i+1].MAC) {
			rules++
		}
	}
	return rules
}
