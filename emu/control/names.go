package control

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
)

// ErrUnknown is wrapped by errors about names that the network does not have.
var ErrUnknown = errors.New("the network does not have it")

// names finds what a network has by its names and numbers. Attach adds links, before the network starts; from
// then on nothing changes, and it is read without a lock.
type names struct {
	net      *emu.Network
	dpids    map[uint64]*emu.Switch
	switches map[string]*emu.Switch
	links    map[string]*emu.Link // those of hosts and devices included
	hosts    map[string]*emu.Host
}

func namesOf(net *emu.Network) names {
	n := names{net: net, dpids: map[uint64]*emu.Switch{}, switches: map[string]*emu.Switch{},
		links: map[string]*emu.Link{}, hosts: map[string]*emu.Host{}}
	for _, sw := range net.Switches() {
		n.dpids[sw.DatapathID()], n.switches[sw.Name()] = sw, sw
	}
	for _, l := range net.Links() {
		n.links[l.ID] = l
	}
	for _, h := range net.Hosts() {
		n.hosts[h.Spec().Name], n.links[h.Link().ID] = h, h.Link()
	}
	return n
}

// oneSwitch is a switch by its name or its datapath id in hexadecimal; nil if there is none.
func (n *names) oneSwitch(name string) *emu.Switch {
	if sw := n.switches[name]; sw != nil {
		return sw
	}
	if id, err := topo.ParseDPID(name); err == nil {
		return n.dpids[id]
	}
	return nil
}

// numbered is a switch by its number in the network.
func (n *names) numbered(index int) (*emu.Switch, error) {
	list := n.net.Switches()
	if index < 0 || index >= len(list) {
		return nil, fmt.Errorf("switch number %d given: %w", index, ErrUnknown)
	}
	return list[index], nil
}

// withAddress is the host that has an address; nil if none has.
func (n *names) withAddress(a netip.Addr) (found *emu.Host) {
	for _, h := range n.net.Hosts() {
		if spec := h.Spec(); a.IsValid() && (spec.IPv4.Addr() == a || spec.IPv6.Addr() == a) {
			found = h
		}
	}
	return found
}

// points parses the place of a capture.
func (n *names) points(at string) ([]point, error) {
	if at == "all" {
		var list []point
		for _, sw := range n.net.Switches() {
			list = append(list, point{sw: sw})
		}
		return list, nil
	}
	name, number, isPort := strings.Cut(at, ":")
	sw := n.oneSwitch(name)
	if sw == nil {
		return nil, fmt.Errorf("capture at %q given, want SWITCH:PORT, SWITCH or all, such as %s: %w", at,
			n.somePoint(), ErrUnknown)
	}
	if !isPort {
		return []point{{sw: sw}}, nil
	}
	port, err := strconv.ParseUint(number, 10, 32)
	if err != nil || sw.Link(uint32(port)) == nil {
		return nil, fmt.Errorf("capture at %q given, want a port of %s, one of %v: %w", at, name, sw.Ports(), ErrUnknown)
	}
	return []point{{sw, uint32(port)}}, nil
}

// somePoint is an example of what can be captured.
func (n *names) somePoint() string {
	for _, sw := range n.net.Switches() {
		if ports := sw.Ports(); len(ports) > 0 {
			return fmt.Sprintf("%s:%d", sw.Name(), ports[0])
		}
	}
	return n.net.Switches()[0].Name()
}
