//go:build real

package netlab

import (
	"testing"
	"time"
)

// TestRestart: Weir is killed and started again, many times, under a network that works. No packet
// is lost, each time it writes at most one in a hundred of the switches' entries, and in the end it
// controls the network as in the beginning.
func TestRestart(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		w, o, nets := twoNetworks(l)
		both := Both(nets[0], nets[1])
		traffic := talk(o, nets)
		for _, dead := range deadInRestarts() {
			w.Kill()
			time.Sleep(dead) // the fault itself
			w = comeBack(t, l, both)
			if t.Failed() {
				return
			}
		}
		unharmed(t, traffic, nil)
		for _, n := range nets {
			n.awaitBroadcasts(60 * time.Second)
			once(t, n, n.Hosts[1])
			reachable(t, n)
		}
	})
}
