package netview

import (
	"errors"
	"fmt"
	"slices"
)

// Check verifies the invariants of the whole view and returns what is broken, joined into one
// error: indices that do not agree with their tables, links that are up without two ports that are
// up, links and hosts of switches that are not known, hosts at a link's port, roles of ports that
// disagree with links, claims out of order, switches with another master than said, rows of nobody, and rows
// behind those of sources that do not take precedence.
func (s *Snapshot) Check() error {
	c := &checker{s: s}
	c.switches()
	c.links()
	c.hosts()
	c.sources()
	c.rules()
	c.meters()
	return errors.Join(c.found...)
}

type checker struct {
	s     *Snapshot
	found []error
}

func (c *checker) failf(format string, args ...any) {
	if len(c.found) < 100 {
		c.found = append(c.found, fmt.Errorf(format, args...))
	}
}

func (c *checker) switches() {
	for s := range c.s.Switches() {
		if !slices.IsSortedFunc(s.Ports, func(a, b Port) int { return Point{Port: a.Number}.Compare(Point{Port: b.Number}) }) {
			c.failf("switch %s: ports are not in order", s.DPID)
		}
		if s.Connected != (s.State == SwitchReady) {
			c.failf("switch %s: connected %t in state %s", s.DPID, s.Connected, s.State)
		}
		if m := c.s.Master(s.DPID); m != s.Master {
			c.failf("switch %s: master %q, said is %q", s.DPID, s.Master, m)
		}
	}
}

func (c *checker) port(p Point) (Port, bool) {
	s, ok := c.s.Switch(p.DPID)
	if !ok {
		return Port{}, false
	}
	return s.Port(p.Port)
}

func (c *checker) links() {
	if a, b := c.s.links.len(), c.s.linksIn.len(); a != b {
		c.failf("links: %d in the table, %d in the index by destination", a, b)
	}
	for l := range c.s.Links() {
		if m, _ := c.s.linksIn.get(l.Reverse()); m != l {
			c.failf("link %s: not the same in the index by destination", l.LinkKey)
		}
		for _, end := range []Point{l.Src, l.Dst} {
			if _, ok := c.s.Switch(end.DPID); !ok {
				c.failf("link %s: switch %s is not known", l.LinkKey, end.DPID)
			}
			port, ok := c.port(end)
			if l.Up && !(ok && port.Up) {
				c.failf("link %s: up, but port %s is not", l.LinkKey, end)
			}
			if l.Up && ok && port.Role != PortLink {
				c.failf("link %s: up, but port %s has the role %s", l.LinkKey, end, port.Role)
			}
		}
	}
}

func (c *checker) hosts() {
	if a, b := c.s.hosts.len(), c.s.hostsAt.len(); a != b {
		c.failf("hosts: %d in the table, %d in the index by place", a, b)
	}
	for h := range c.s.Hosts() {
		if i, _ := c.s.hostsAt.get(hostPlace{h.At, h.HostID}); i != h {
			c.failf("host %s: not the same in the index by place", h.HostID)
		}
		if _, ok := c.s.Switch(h.At.DPID); !ok {
			c.failf("host %s: switch %s is not known", h.HostID, h.At.DPID)
		}
		if port, ok := c.port(h.At); ok && port.Role == PortLink {
			c.failf("host %s: at %s, the port of a link", h.HostID, h.At)
		}
		for i := 1; i < len(h.IPs); i++ {
			if !h.IPs[i-1].Less(h.IPs[i]) {
				c.failf("host %s: IPs are not in order", h.HostID)
			}
		}
	}
}

func (c *checker) rules() {
	var last claim
	c.s.rules.ascend(claim{key: RuleKey{Priority: ^uint16(0)}}, func(k claim, r *ownedRule) bool {
		if k.key != r.Key() || k.seq != r.turn {
			c.failf("rule %s %s: under another's key", r.DPID, r.Owner)
		}
		if refused := k.key == last.key && last.seq != 0; refused && r.State != RuleFailed {
			c.failf("rule %s %s: refused, but %s", r.DPID, r.Owner, r.State)
		}
		if r.Revision == 0 || r.Revision > c.s.revision {
			c.failf("rule %s %s: desired since revision %d", r.DPID, r.Owner, r.Revision)
		}
		if r.State == RulePending && r.Reason != "" || r.Owner == "" {
			c.failf("rule %s %q: pending because %q", r.DPID, r.Owner, r.Reason)
		}
		last = k
		return true
	})
}

func (c *checker) meters() {
	c.s.meters.ascend(meterClaim{}, func(k meterClaim, m *ownedMeter) bool {
		if k != (meterClaim{m.DPID, m.ID, m.turn}) {
			c.failf("meter %s %d: under another's key", m.DPID, m.ID)
		}
		return true
	})
}

// sources checks who says what: what is shown, and what is behind it.
func (c *checker) sources() {
	for s := range c.s.Switches() {
		c.said(s.DPID, s.Source)
	}
	for l := range c.s.Links() {
		c.said(l.LinkKey, l.Source)
		for _, end := range []Point{l.Src, l.Dst} {
			at, _ := c.s.Switch(end.DPID)
			if p, ok := c.port(end); l.Up && ok && !l.fits(at, p) {
				c.failf("link %s of %s: up, but %s says that port %s has the role %s", l.LinkKey, l.Source, at.Source, end, p.Role)
			}
		}
	}
	for h := range c.s.Hosts() {
		c.said(h.HostID, h.Source)
		at, known := c.s.Switch(h.At.DPID)
		if p, ok := c.port(h.At); known && ok && at.Source != h.Source && p.Role == PortLink {
			c.failf("host %s of %s: at %s, where %s says that a link is", h.HostID, h.Source, h.At, at.Source)
		}
	}
	for i := range c.s.behind {
		c.layer(&c.s.behind[i])
	}
}

func (c *checker) said(what fmt.Stringer, by *FactSource) {
	if by == nil {
		c.failf("%s: nobody says it", what)
	}
}

// layer checks the rows of a source that are not shown.
func (c *checker) layer(of *published) {
	for s := range of.switches.all() {
		shown, _ := c.s.Switch(s.DPID)
		c.behind(s.DPID, s.Source, of, shown != nil && shown.Source.compare(of.source) < 0)
	}
	for l := range of.links.all() {
		shown, _ := c.s.Link(l.LinkKey)
		c.behind(l.LinkKey, l.Source, of, shown != nil && shown.Source.compare(of.source) < 0)
	}
	for h := range of.hosts.all() {
		shown, _ := c.s.Host(h.HostID)
		c.behind(h.HostID, h.Source, of, shown != nil && shown.Source.compare(of.source) < 0)
		if _, ok := c.s.Switch(h.At.DPID); !ok {
			c.failf("host %s of %s: switch %s is not known", h.HostID, of.source, h.At.DPID)
		}
	}
}

func (c *checker) behind(what fmt.Stringer, by *FactSource, of *published, precedes bool) {
	if by != of.source || !precedes {
		c.failf("%s of %s: behind what does not take precedence, in the rows of %s", what, by, of.source)
	}
}
