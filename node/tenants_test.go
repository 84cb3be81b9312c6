package node_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/tenancy"
)

// shared is an instance with an emulated network, of whose hosts every third is tenant red's, the next blue's, the next
// nobody's; each tenant's controller is an instance of its own.
type shared struct {
	t           *testing.T
	weir        *instance
	net         *emu.Network
	tenants     *tenancy.Tenancies
	controllers map[string]*instance
	all         *tenant.Tenants
}

// owner is whose the nth host is: "" if it is nobody's.
func owner(n int) string { return [...]string{"red", "blue", ""}[n%3] }

func newShared(t *testing.T, spec string) *shared {
	s := &shared{t: t, controllers: make(map[string]*instance), all: tenant.New()}
	for _, name := range []string{"red", "blue"} {
		s.controllers[name] = start(t, func(c *node.Config) { c.Discovery.LLDPPeriod = node.Defaults().Discovery.LLDPPeriod })
	}
	s.weir, s.net = emulateWith(t, spec, openflow.V13, func(c *node.Config) {
		c.Tenants = func(tenants *tenancy.Tenancies) { s.tenants = tenants }
	})
	return s
}

// define makes a tenant of the hosts that are its.
func (s *shared) define(name string, number uint16) {
	s.t.Helper()
	d := tenant.Definition{Name: name, Number: number,
		Controllers: []tenant.Controller{{Address: s.controllers[name].at.OpenFlow}}}
	for _, l := range s.net.Links() {
		a, aPort, b, bPort := l.Ends()
		d.Ports = append(d.Ports, netview.Point{DPID: netview.DPID(a.DatapathID()), Port: aPort},
			netview.Point{DPID: netview.DPID(b.DatapathID()), Port: bPort})
	}
	for i, h := range s.net.Hosts() {
		if owner(i) == name {
			at := h.Spec().At
			d.Ports = append(d.Ports, netview.Point{DPID: netview.DPID(s.net.Switches()[at.Switch].DatapathID()), Port: at.Port})
			m := openflow.Match{}
			m.Set(openflow.FieldEthSrc, h.Spec().MAC[:], nil)
			d.Space = append(d.Space, tenant.Region{Priority: 10, Match: m})
		}
	}
	if err := s.all.Put(d); err != nil {
		s.t.Fatal(err)
	}
	all := tenant.New()
	for _, d := range s.all.All() {
		if err := all.Put(*d); err != nil {
			s.t.Fatal(err)
		}
	}
	s.tenants.Set(all)
}

// pings has every host ping every other, and returns of which pairs an answer came.
func (s *shared) pings() map[[2]int]bool {
	s.t.Helper()
	type ping struct {
		pair   [2]int
		report func() host.PingReport
	}
	var pings []ping
	for i, from := range s.net.Hosts() {
		for j, to := range s.net.Hosts() {
			if i == j {
				continue
			}
			var p *host.Ping
			from.Do(func(h *host.Host, now time.Duration, _ host.Output) {
				var err error
				if p, err = h.Ping(host.PingSpec{Dst: to.Spec().IPv4.Addr(), Count: 3, Interval: 500 * time.Millisecond,
					Timeout: 4 * time.Second}, now); err != nil {
					s.t.Fatal(err)
				}
			})
			pings = append(pings, ping{[2]int{i, j}, func() (r host.PingReport) {
				from.Do(func(*host.Host, time.Duration, host.Output) { r = p.Report() })
				return r
			}})
		}
	}
	reached := make(map[[2]int]bool)
	for _, p := range pings {
		s.weir.await("the end of a ping", func() bool { return p.report().Done })
		reached[p.pair] = p.report().Received > 0
	}
	return reached
}

// TestTenantsWithControllersOfTheirOwn: the hosts of a tenant reach each other by what its controller does, and those of
// nobody by what Weir does; none reaches one of others, and no controller learns of their hosts.
func TestTenantsWithControllersOfTheirOwn(t *testing.T) {
	s := newShared(t, "ring:3,hosts=3")
	s.define("red", 1)
	s.define("blue", 2)
	for name, c := range s.controllers {
		c.await(name+"'s switches", func() bool { return c.connected() == len(s.net.Switches()) })
		c.await(name+"'s links", func() bool {
			up := 0
			for _, l := range c.links() {
				if l.Up && l.State == "confirmed" {
					up++
				}
			}
			return up == 2*len(s.net.Links())
		})
		c.await(name+"'s tree", func() bool { return c.treed(len(s.net.Switches())) })
	}
	s.weir.await("the tree", func() bool { return s.weir.treed(len(s.net.Switches())) })
	for _, h := range s.net.Hosts() {
		h.Do(func(s *host.Host, now time.Duration, out host.Output) { s.Announce(now, out) })
	}
	for pair, reached := range s.pings() {
		if want := owner(pair[0]) == owner(pair[1]); reached != want {
			t.Errorf("host %d (%q) reaches host %d (%q): %t", pair[0], owner(pair[0]), pair[1], owner(pair[1]), reached)
		}
	}
	hosts := map[string]int{"": len(s.weir.hosts())}
	for name, c := range s.controllers {
		hosts[name] = len(c.hosts())
	}
	if want := (map[string]int{"": 3, "red": 3, "blue": 3}); fmt.Sprint(hosts) != fmt.Sprint(want) {
		t.Errorf("hosts known to each: %v, want %v", hosts, want)
	}
}
