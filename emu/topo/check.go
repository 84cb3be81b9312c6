package topo

import (
	"fmt"
	"net/netip"
	"strings"
	"unicode"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/strictyaml"
)

// MaxName is the longest name of a switch or host, in bytes.
const MaxName = 64

// Check refuses a network that cannot be, with the first reason found.
func (t *Topology) Check() error {
	if len(t.Switches) < 1 || len(t.Switches) > MaxSwitches {
		return fmt.Errorf("%d switches given, want from 1 to %d", len(t.Switches), MaxSwitches)
	}
	if len(t.Links) > MaxLinks {
		return fmt.Errorf("%d links given, want at most %d", len(t.Links), MaxLinks)
	}
	if len(t.Hosts) > MaxHosts {
		return fmt.Errorf("%d hosts given, want at most %d", len(t.Hosts), MaxHosts)
	}
	for _, check := range []func() error{t.checkNames, t.checkPorts, t.checkHosts, t.checkLinks} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (t *Topology) checkNames() error {
	names := make(map[string]bool, len(t.Switches)+len(t.Hosts))
	ids := make(map[uint64]int, len(t.Switches))
	for i, s := range t.Switches {
		if err := checkName(s.Name, names); err != nil {
			return faultOf(ofSwitch, i, "%w", err)
		}
		if s.DPID == 0 {
			return faultOf(ofSwitch, i, "switch %s: datapath id 0 given, want from 1 on", s.Name)
		}
		if j, twice := ids[s.DPID]; twice {
			return faultOf(ofSwitch, i, "switch %s: datapath id %016x given, which is that of %s too: want one of its own", s.Name, s.DPID, t.Switches[j].Name)
		}
		ids[s.DPID] = i
		if (s.Lat == nil) != (s.Lon == nil) {
			return faultOf(ofSwitch, i, "switch %s: one coordinate given, want both lat and lon, or none", s.Name)
		}
		if s.Lat != nil && !(*s.Lat >= -90 && *s.Lat <= 90 && *s.Lon >= -180 && *s.Lon <= 180) {
			return faultOf(ofSwitch, i, "switch %s: coordinates %v, %v given, want a latitude from -90 to 90 and a longitude from -180 to 180", s.Name, *s.Lat, *s.Lon)
		}
	}
	for i := range t.Hosts {
		if err := checkName(t.Hosts[i].Name, names); err != nil {
			return faultOf(ofHost, i, "%w", err)
		}
	}
	return nil
}

// checkName wants a name that is new and stands in an address of the web, in a file and in a
// terminal as it is.
func checkName(s string, names map[string]bool) error {
	if s == "" || len(s) > MaxName || strings.ContainsFunc(s, notInName) {
		return fmt.Errorf("name %s given, want 1 to %d bytes of letters, digits, '.', '_' and '-', such as s1",
			strictyaml.Quote(s), MaxName)
	}
	if names[s] {
		return fmt.Errorf("name %q given twice, want every switch and host to have its own", s)
	}
	names[s] = true
	return nil
}

// printable reports whether a text can be shown in a terminal.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar })
}

func notInName(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-", r) || r == unicode.ReplacementChar
}

func (t *Topology) checkHosts() error {
	macs := make(map[packet.MAC]int, len(t.Hosts))
	ips := make(map[address]int, 2*len(t.Hosts))
	for i := range t.Hosts {
		h := &t.Hosts[i]
		if err := h.check(); err != nil {
			return faultOf(ofHost, i, "host %s: %w", h.Name, err)
		}
		if j, twice := macs[h.MAC]; twice {
			return faultOf(ofHost, i, "host %s: MAC address %s given, which is that of %s too: want one of its own",
				h.Name, h.MAC, t.Hosts[j].Name)
		}
		macs[h.MAC] = i
		for _, ip := range []netip.Prefix{h.IPv4, h.IPv6} {
			if !ip.IsValid() {
				continue
			}
			key := address{h.VLAN, ip.Addr()}
			if j, twice := ips[key]; twice {
				return faultOf(ofHost, i, "host %s: address %s given, which is that of %s too: want one of its own, or another VLAN", h.Name, ip.Addr(), t.Hosts[j].Name)
			}
			ips[key] = i
		}
	}
	return nil
}

// address is what one host only has: hosts in different VLANs do not meet.
type address struct {
	vlan uint16
	ip   netip.Addr
}

func (h *Host) check() error {
	switch {
	case h.MAC == packet.MAC{} || h.MAC[0]&1 != 0:
		return fmt.Errorf("MAC address %s given, want one of a station, such as 02:00:00:00:00:01", h.MAC)
	case h.VLAN > 4094:
		return fmt.Errorf("VLAN %d given, want from 1 to 4094, or 0 for none", h.VLAN)
	case h.IPv4.IsValid() && (!h.IPv4.Addr().Is4() || !unicast(h.IPv4.Addr())):
		return fmt.Errorf("ipv4 %s given, want an address of a host, such as 10.0.0.1/8", h.IPv4)
	case h.IPv6.IsValid() && (!h.IPv6.Addr().Is6() || h.IPv6.Addr().Is4In6() || !unicast(h.IPv6.Addr())):
		return fmt.Errorf("ipv6 %s given, want an address of a host, such as fd00::1/64", h.IPv6)
	}
	return h.Link.Check()
}

func (t *Topology) checkLinks() error {
	ids := make(map[string]bool, len(t.Links)+len(t.Hosts))
	for i := range t.Hosts {
		ids[t.LinkID(&t.Hosts[i])] = true
	}
	for i := range t.Links {
		l := &t.Links[i]
		if ids[l.ID] || l.ID == "" {
			return faultOf(ofLink, i, "link id %q given twice or empty, want every link to have its own", l.ID)
		}
		ids[l.ID] = true
		for _, spec := range []LinkSpec{l.Forward, l.Back} {
			if err := spec.Check(); err != nil {
				return faultOf(ofLink, i, "link %s: %w", l.ID, err)
			}
		}
	}
	return nil
}
