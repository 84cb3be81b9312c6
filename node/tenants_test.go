package node_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/tenancy"
)

// shared is an instance with an emulated network, of whose hosts, of five each, one is tenant red's, the next blue's, the next
// nobody's, and two green's; each tenant's controller is an instance of its own.
type shared struct {
	t           *testing.T
	weir        *instance
	net         *emu.Network
	tenants     *tenancy.Tenancies
	controllers map[string]*instance
	all         *tenant.Tenants
}

// owner is whose the nth host is: "" if it is nobody's.
func owner(n int) string { return [...]string{"red", "blue", "", "green", "green"}[n%5] }

func newShared(t *testing.T, spec string, v openflow.Version, change ...func(*node.Config)) *shared {
	s := &shared{t: t, controllers: make(map[string]*instance), all: tenant.New()}
	for _, name := range []string{"red", "blue", "green"} {
		s.controllers[name] = start(t, func(c *node.Config) { c.Discovery.LLDPPeriod = node.Defaults().Discovery.LLDPPeriod })
	}
	s.weir, s.net = emulateWith(t, spec, v, func(c *node.Config) {
		c.Tenants = func(tenants *tenancy.Tenancies) { s.tenants = tenants }
		for _, f := range change {
			f(c)
		}
	})
	return s
}

// define makes a tenant of the hosts that are its.
func (s *shared) define(name string, number uint16) {
	s.t.Helper()
	d := tenant.Definition{Name: name, Number: number,
		Controllers: []tenant.Controller{{Address: s.controllers[name].at.OpenFlow}}}
	for _, l := range s.net.Links() {
		if name == "green" {
			break
		}
		a, aPort, b, bPort := l.Ends()
		d.Ports = append(d.Ports, netview.Point{DPID: netview.DPID(a.DatapathID()), Port: aPort},
			netview.Point{DPID: netview.DPID(b.DatapathID()), Port: bPort})
	}
	for i, h := range s.net.Hosts() {
		if owner(i) == name {
			at := h.Spec().At
			d.Ports = append(d.Ports, netview.Point{DPID: netview.DPID(s.net.Switches()[at.Switch].DatapathID()), Port: at.Port})
			if name == "green" {
				continue
			}
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

// ports is how many ports a tenant's switches have.
func (s *shared) ports(name string) (n int) {
	list, _ := s.tenants.State(name)
	for i := range list {
		n += len(list[i].Ports)
	}
	return n
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

// leaks counts the frames that reach hosts of one owner from hosts of another.
type leaks struct {
	mu    sync.Mutex
	count map[string]int // "red to blue"
	all   int            // frames that were looked at
}

// watch looks at all that reaches hosts.
func (s *shared) watch() *leaks {
	l := &leaks{count: make(map[string]int)}
	owners := make(map[packet.MAC]string)
	for i, h := range s.net.Hosts() {
		owners[h.Spec().MAC] = owner(i)
	}
	for i, h := range s.net.Hosts() {
		at := h.Spec().At
		_, err := s.net.Switches()[at.Switch].Capture(at.Port, func(_ time.Time, way emu.CaptureKind, frame []byte) {
			if way != emu.Sent || len(frame) < 14 {
				return
			}
			l.mu.Lock()
			defer l.mu.Unlock()
			l.all++
			from, known := owners[packet.MAC(frame[6:12])]
			if from == "" && owner(i) != "green" {
				return // what is in no space is forwarded as ever, to all ports but those of green, which has all there
			}
			if known && from != owner(i) {
				l.count[from+" to "+owner(i)]++
			}
		})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return l
}

// TestTenantsWithControllersOfTheirOwn: the hosts of a tenant reach each other by what its controller does, and those of
// nobody by what Weir does; nothing reaches a host of others, and no controller learns of their hosts. Tenant green has
// ports without links, and all that comes in there.
func TestTenantsWithControllersOfTheirOwn(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run(v.String(), func(t *testing.T) { testTenants(t, v) })
	}
}

func testTenants(t *testing.T, v openflow.Version) {
	s := newShared(t, "ring:3,hosts=5", v)
	s.defineAll()
	s.awaitServed(v)
	s.weir.await("the tree", func() bool { return s.weir.treed(len(s.net.Switches())) })
	s.checkPings(true)
	s.checkHosts()
}

// defineAll makes the three tenants.
func (s *shared) defineAll() {
	s.define("red", 1)
	s.define("blue", 2)
	s.define("green", 3)
}

// awaitServed waits until the tenants' controllers know their switches, ports and links, and have their trees.
func (s *shared) awaitServed(v openflow.Version) {
	for name, c := range s.controllers {
		c.await(name+"'s switches", func() bool { return c.connected() == len(s.net.Switches()) })
		c.await(name+"'s ports", func() bool { return s.ports(name) == len(s.all.Get(name).Ports) })
		c.await("what is behind "+name+"'s ports", func() bool {
			known := 0
			for _, sw := range c.switches() {
				for _, p := range sw.Ports {
					if p.Role == "edge" || p.Role == "link" {
						known++
					}
				}
			}
			return known == len(s.all.Get(name).Ports)
		})
		c.await(name+"'s links", func() bool {
			up := 0
			for _, l := range c.links() {
				if l.Up && l.State == "confirmed" {
					up++
				}
			}
			return up == 2*len(s.net.Links()) || name == "green"
		})
		c.await(name+"'s tree", func() bool {
			if v == openflow.V10 {
				return c.treedBut10(len(s.net.Switches()))
			}
			return c.treed(len(s.net.Switches()))
		})
	}
}

// checkPings has every host ping every other: those of a tenant reach each other, and those of nobody if Weir forwards for
// them. Nothing reaches a host of others.
func (s *shared) checkPings(forwarded bool) {
	s.t.Helper()
	l := s.watch()
	for _, h := range s.net.Hosts() {
		h.Do(func(s *host.Host, now time.Duration, out host.Output) { s.Announce(now, out) })
	}
	hosts := s.net.Hosts()
	for pair, reached := range s.pings() {
		a, b := pair[0], pair[1]
		want := owner(a) == owner(b) && (owner(a) != "" || forwarded) &&
			(owner(a) != "green" || hosts[a].Spec().At.Switch == hosts[b].Spec().At.Switch)
		if reached != want {
			s.t.Errorf("host %d (%q) reaches host %d (%q): %t", a, owner(a), b, owner(b), reached)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all < 100 || len(l.count) > 0 {
		s.t.Errorf("of %d frames that reached hosts some were of others': %v", l.all, l.count)
	}
}

// checkHosts wants each controller to know its tenant's hosts, and Weir those of nobody.
func (s *shared) checkHosts() {
	s.t.Helper()
	known := map[string]int{"": len(s.weir.hosts())}
	for name, c := range s.controllers {
		known[name] = len(c.hosts())
	}
	if want := (map[string]int{"": 3, "red": 3, "blue": 3, "green": 6}); fmt.Sprint(known) != fmt.Sprint(want) {
		s.t.Errorf("hosts known to each: %v, want %v", known, want)
	}
}
