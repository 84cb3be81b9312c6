package config

import (
	"github.com/weirnet/weir/netview"
)

// Settings returns what the network view takes of a configuration, and what is drained. What says
// nothing is left out.
func (c *Config) Settings(drains []Drain) *netview.Settings {
	s := &netview.Settings{
		Switches: make(map[netview.DPID]netview.SwitchSettings),
		Ports:    make(map[netview.Point]netview.PortSettings),
		Links:    make(map[netview.LinkKey]netview.LinkSettings),
		Indirect: c.Discovery.Indirect == "allow", TrustLinks: c.Discovery.NewLinks == "trust",
		ProbePeriod: c.Discovery.LLDPPeriod, HostExpiry: c.Discovery.HostExpiry,
	}
	if c.Discovery.LinkWidths == "find" {
		s.LinkFrame = int(c.Discovery.LinkFrame)
	}
	for dpid, sw := range c.Switches {
		s.Switches[dpid] = netview.SwitchSettings{Name: sw.Name, Location: sw.Location}
	}
	for p, port := range c.Ports {
		s.Ports[p] = netview.PortSettings{Label: port.Name, Edge: port.Edge}
	}
	for ref, link := range c.Links {
		for _, key := range ref.Keys() {
			s.Links[key] = netview.LinkSettings{CapacityMbps: link.CapacityMbps, LatencyUS: link.LatencyUS,
				Cost: link.Cost, Trusted: link.Trusted}
		}
	}
	if c.Allow != nil {
		s.Allow = make(map[netview.DPID]bool, len(c.Allow))
		for _, dpid := range c.Allow {
			s.Allow[dpid] = true
		}
	}
	for _, d := range drains {
		d.apply(s)
	}
	return s
}

// apply notes a drain in the settings. One without Ends changes nothing.
func (d Drain) apply(s *netview.Settings) {
	switch d.Kind {
	case DrainSwitch:
		if dpid, err := ParseDPID(d.Object); err == nil {
			row := s.Switches[dpid]
			row.Drained = true
			s.Switches[dpid] = row
		}
	case DrainPort:
		if p, err := ParsePoint(d.Object); err == nil {
			row := s.Ports[p]
			row.Drained = true
			s.Ports[p] = row
		}
	case DrainLink:
		if ref, err := ParseLink(d.Object); err == nil {
			for _, key := range ref.Undirected().Keys() {
				row := s.Links[key]
				row.Drained = true
				s.Links[key] = row
			}
		}
	}
}
