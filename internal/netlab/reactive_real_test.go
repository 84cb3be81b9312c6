//go:build real

package netlab

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/internal/need"
)

// TestReactiveTenants: FAUCET, which has tables after each other and groups, has hosts of a mesh of Open vSwitches that speak
// OpenFlow 1.0 reach each other, and gets no error. The switches forward what comes often; other hosts hear nothing of it.
func TestReactiveTenants(t *testing.T) {
	t.Parallel()
	program := need.Faucet(t)
	Inside(t, func(t *testing.T, l *Lab) {
		w := l.StartWeir()
		n := l.StartOVS().Build(Topology{Switches: 3, Links: [][2]int{{0, 1}, {1, 2}, {0, 2}},
			Hosts: []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2}}, "1.0", Controller)
		w.AwaitLinks(n, 20*time.Second)
		const yellow = 3 // of the tenants, and of the hosts of a switch
		faucet(t, l, program, n, yellow)
		api, err := client.New(client.Config{Address: API})
		if err != nil {
			t.Fatal(err)
		}
		d := &client.TenantDefinition{Name: "yellow", Reactive: true,
			Controllers: []string{fmt.Sprintf("tcp:127.0.0.1:%d", sharing[yellow].port)}}
		at := func(sw, port int) string { return fmt.Sprintf("%s/%d", client.FormatDPID(n.Switches[sw].DPID), port) }
		for _, c := range n.Cables {
			d.Ports = append(d.Ports, at(c.A.Switch, c.A.Port), at(c.B.Switch, c.B.Port))
		}
		for sw := range n.Switches {
			d.Ports = append(d.Ports, at(sw, 1+yellow))
			own := client.Selector{"eth_src": n.Hosts[ownersOf*sw+yellow].MAC}
			d.Space = append(d.Space, client.TenantRegion{Priority: 10, Match: own})
		}
		if _, err := api.PutTenant(t.Context(), d, client.TenantOptions{}); err != nil {
			t.Fatal(err)
		}
		state := func() (reactive, flows int, handled uint64) {
			tenant, err := api.Tenant(t.Context(), "yellow")
			if err != nil {
				t.Fatal(err)
			}
			for _, sw := range tenant.State.Switches {
				if sw.Reactive {
					reactive++
				}
				flows, handled = flows+sw.MicroFlows, handled+sw.Handled
			}
			return reactive, flows, handled
		}
		ping := func(from, to, count int) (received int) {
			p := n.Hosts[ownersOf*from+yellow].Start("ping", "-n", "-q", "-c", fmt.Sprint(count), "-i", "0.02", "-W", "2",
				n.Hosts[to].IP4.String())
			<-p.done
			if _, text, ok := strings.Cut(p.Output(), " transmitted, "); ok {
				_, _ = fmt.Sscan(text, &received)
			}
			return received
		}
		l.Eventually(60*time.Second, "FAUCET's hosts reach each other", func() bool {
			for from := range 3 {
				for to := range 3 {
					if from != to && ping(from, ownersOf*to+yellow, 2) == 0 {
						return false
					}
				}
			}
			return true
		})
		_, _, before := state()
		if got := ping(0, 2*ownersOf+yellow, 300); got != 300 {
			t.Errorf("of 300 pings %d are answered", got)
		}
		reactive, flows, handled := state()
		t.Logf("%d switches are reactive, with %d micro-flows; of 600 packets over two switches, and all others meanwhile, Weir has handled %d",
			reactive, flows, handled-before)
		if reactive != 3 || flows == 0 || handled-before > 300 {
			t.Error("the switches do not forward by themselves")
		}
		for _, other := range []int{0, ownersOf, 2*ownersOf + 4} {
			if ping(0, other, 2) != 0 {
				t.Errorf("FAUCET's host reaches h%d, which is nobody's", other+1)
			}
		}
	})
}
