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
		traffic := talk(o, nets)
		weir := BuiltWeir(t)
		drained := func(what, name string, meanwhile func()) {
			l.Run(weir, "drain", "--wait", "--api", API, "--data-dir", l.dir, what, name)
			for _, f := range traffic.Lost() {
				t.Errorf("%s %s is drained: %s", what, name, f)
			}
			meanwhile()
			l.Run(weir, "undrain", "--api", API, "--data-dir", l.dir, what, name)
			for _, f := range traffic.Lost() {
				t.Errorf("%s %s is taken back: %s", what, name, f)
			}
		}
		for _, n := range nets {
			a, b := n.Place(n.Cables[0].A), n.Place(n.Cables[0].B)
			drained("link", fmt.Sprintf("%s/%d->%s/%d", a.DPID, a.Port, b.DPID, b.Port), func() {})
			i := n.passed() // which paths pass a switch depends on the keys of links, and on the link that was drained
			if i < 0 {
				t.Error("no path of others passes any switch: the test shows nothing")
				continue
			}
			drained("switch", fmt.Sprintf("%016x", n.Switches[i].DPID), func() {
				l.Eventually(30*time.Second, "only its own hosts' paths pass the switch", func() bool {
					return n.transit(i) == 0
				})
			})
		}
	})
}

// passed returns the switch with the most rules of others' pairs; -1 if none has any.
func (n *Network) passed() int {
	at, most := -1, 0
	for i := range n.Switches {
		if rules := n.transit(i); rules > most {
			at, most = i, rules
		}
	}
	return at
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
