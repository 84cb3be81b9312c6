package api

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/netview"
)

// The functions of this file find what people name: a switch by its datapath id or name, a port by
// SWITCH/PORT with its number, name or label, a link by its ports, a host by its id or address.
// What could be two things is refused.

// resolveSwitch finds a switch by datapath id or name.
func resolveSwitch(snap *netview.Snapshot, s string) (*netview.Switch, error) {
	var found []*netview.Switch
	for sw := range snap.Switches() {
		if sw.Name == s {
			found = append(found, sw)
		}
	}
	if dpid, err := client.ParseDPID(s); err == nil {
		if sw, ok := snap.Switch(netview.DPID(dpid)); ok && !(len(found) == 1 && found[0] == sw) {
			found = append(found, sw)
		}
	}
	switch len(found) {
	case 0:
		return nil, rest.Refuse(http.StatusNotFound,
			"no switch %q is known, neither by datapath id nor by name: /v1/switches lists those that are", rest.Truncate(s))
	case 1:
		return found[0], nil
	}
	return nil, rest.Refuse(http.StatusConflict, "%q is switch %s and switch %s: give a datapath id of 16 digits", rest.Truncate(s),
		found[0].DPID, found[1].DPID)
}

// resolvePort finds a port by SWITCH/PORT.
func resolvePort(snap *netview.Snapshot, s string) (*netview.Switch, *netview.Port, error) {
	at := strings.LastIndex(s, "/")
	if at < 0 {
		return nil, nil, rest.Refuse(http.StatusBadRequest, "port %q: want SWITCH/PORT, such as 00000000000000a1/3 or spine-1/eth3",
			rest.Truncate(s))
	}
	sw, err := resolveSwitch(snap, strings.TrimSpace(s[:at]))
	if err != nil {
		return nil, nil, err
	}
	name := strings.TrimSpace(s[at+1:])
	number, numeric := config.ParsePort(name)
	var found []*netview.Port
	for i := range sw.Ports {
		p := &sw.Ports[i]
		if numeric == nil && p.Number == number || p.Name == name || p.Label == name && name != "" {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil, rest.Refuse(http.StatusNotFound,
			"switch %s has no port %q, neither by number nor by name: /v1/switches/%s lists those that it has",
			sw.DPID, rest.Truncate(name), sw.DPID)
	case 1:
		return sw, found[0], nil
	}
	return nil, nil, rest.Refuse(http.StatusConflict, "%q is port %d and port %d of switch %s: give a number", rest.Truncate(name),
		found[0].Number, found[1].Number, sw.DPID)
}

// resolveLink finds a link, either direction of it, by its ports with -> or <-> between them.
func resolveLink(snap *netview.Snapshot, s string) (config.LinkRef, error) {
	from, to, ok := strings.Cut(s, "->")
	if !ok {
		return config.LinkRef{}, rest.Refuse(http.StatusBadRequest, "link %q: want SWITCH/PORT->SWITCH/PORT", rest.Truncate(s))
	}
	a, err := resolvePoint(snap, strings.TrimSuffix(strings.TrimSpace(from), "<"))
	if err != nil {
		return config.LinkRef{}, err
	}
	b, err := resolvePoint(snap, to)
	if err != nil {
		return config.LinkRef{}, err
	}
	if b.Compare(a) < 0 {
		a, b = b, a
	}
	ref := config.LinkRef{A: a, B: b, Both: true}
	for _, key := range ref.Keys() {
		if _, ok := snap.Link(key); ok {
			return ref, nil
		}
	}
	return config.LinkRef{}, rest.Refuse(http.StatusNotFound, "no link between %s and %s is known: /v1/links lists those that are",
		config.FormatPoint(a), config.FormatPoint(b))
}

func resolvePoint(snap *netview.Snapshot, s string) (netview.Point, error) {
	sw, p, err := resolvePort(snap, strings.TrimSpace(s))
	if err != nil {
		return netview.Point{}, err
	}
	return netview.Point{DPID: sw.DPID, Port: p.Number}, nil
}

// resolveAddress finds the host that has an IP address.
func resolveAddress(snap *netview.Snapshot, ip netip.Addr) (*netview.Host, error) {
	var found *netview.Host
	for h := range snap.Hosts() {
		for _, has := range h.IPs {
			if has != ip {
				continue
			}
			if found != nil {
				return nil, rest.Refuse(http.StatusConflict, "hosts %s and %s both have the address %s: give a host's id",
					found.HostID, h.HostID, ip)
			}
			found = h
		}
	}
	if found == nil {
		return nil, rest.Refuse(http.StatusNotFound, "no host with the address %s is known: /v1/hosts lists those that are", ip)
	}
	return found, nil
}

// isDPIDWithColons reports whether s is a datapath id such as 00:00:00:00:00:00:00:01, and no IPv6
// address.
func isDPIDWithColons(s string) bool { return len(s) == 23 && strings.Count(s, ":") == 7 }
