package netlab

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Network is a built network, by Build or by Mininet.
type Network struct {
	lab      *Lab
	Switches []Switch
	Hosts    []*Host
	Cables   []*Cable // between switches
}

// Switch is a bridge and its datapath id.
type Switch struct {
	Name string `json:"name"`
	DPID uint64 `json:"dpid"`

	ovs     *OVS   // that has the bridge
	version string // of OpenFlow, "1.0" or "1.3"
}

// Cable is a veth pair between two switches: interface and OpenFlow port number of each end.
type Cable struct {
	lab *Lab
	A   End `json:"a"`
	B   End `json:"b"`
}

// End is one end of a cable.
type End struct {
	Switch int    `json:"switch"` // index in Network.Switches
	Device string `json:"device"`
	Port   int    `json:"port"`
}

// Cut takes the cable's first end down; the other end loses its carrier, so both switches see it.
func (c *Cable) Cut() {
	c.lab.t.Helper()
	c.lab.Run("ip", "link", "set", c.A.Device, "down")
}

// Restore takes the cable up again.
func (c *Cable) Restore() {
	c.lab.t.Helper()
	c.lab.Run("ip", "link", "set", c.A.Device, "up")
}

// String names the cable by its interfaces.
func (c *Cable) String() string { return c.A.Device + "–" + c.B.Device }

// Build makes the lab's next switches sN, hosts hN and the cables of a topology; hosts have the
// lowest port numbers of their switch. The bridges speak one version of OpenFlow to the
// controllers.
func (o *OVS) Build(t Topology, version string, controllers ...string) *Network {
	o.lab.t.Helper()
	return o.lab.Assemble(t, version, func(int) *OVS { return o }, controllers...)
}

// Assemble builds a topology whose switches are divided among several Open vSwitches. In the
// controllers, {N} stands for the number of the switch: so each can have an address for itself.
func (l *Lab) Assemble(t Topology, version string, of func(i int) *OVS, controllers ...string) *Network {
	l.t.Helper()
	n := &Network{lab: l}
	ports := make([]int, t.Switches)
	for i := range t.Switches {
		l.switches++
		s := Switch{Name: fmt.Sprintf("s%d", l.switches), DPID: uint64(l.switches), ovs: of(i), version: version}
		n.Switches = append(n.Switches, s)
		var own []string
		for _, c := range controllers {
			own = append(own, of(i).reaching(strings.ReplaceAll(c, "{N}", fmt.Sprint(l.switches))))
		}
		s.ovs.AddBridge(s.Name, s.DPID, version, own...)
	}
	for _, i := range t.Hosts {
		ports[i]++
		n.Hosts = append(n.Hosts, n.Switches[i].ovs.AddHost(n.Switches[i].Name, ports[i]))
	}
	for _, link := range t.Links {
		end := func(i int) End {
			ports[i]++
			return End{Switch: i, Device: fmt.Sprintf("%s-p%d", n.Switches[i].Name, ports[i]), Port: ports[i]}
		}
		n.Cables = append(n.Cables, l.connect(end(link[0]), end(link[1]), n.Switches))
	}
	return n
}

// Both is two networks that do not touch, as one.
func Both(a, b *Network) *Network {
	n := &Network{lab: a.lab, Switches: slices.Concat(a.Switches, b.Switches), Hosts: slices.Concat(a.Hosts, b.Hosts)}
	n.Cables = slices.Clone(a.Cables)
	for _, c := range b.Cables {
		moved := *c
		moved.A.Switch += len(a.Switches)
		moved.B.Switch += len(a.Switches)
		n.Cables = append(n.Cables, &moved)
	}
	return n
}

// connect joins two switches of the list by a cable.
func (l *Lab) connect(a, b End, switches []Switch) *Cable {
	l.t.Helper()
	l.Run("ip", "link", "add", a.Device, "type", "veth", "peer", "name", b.Device)
	for _, e := range []End{a, b} {
		switches[e.Switch].ovs.take(e.Device)
		switches[e.Switch].ovs.AddPort(switches[e.Switch].Name, e.Device, e.Port)
	}
	return &Cable{lab: l, A: a, B: b}
}

// AddHost makes the lab's next host hN, with addresses 10.0.x.y/16 and fd00::N/64, on a port of a
// bridge.
func (o *OVS) AddHost(bridge string, port int) *Host {
	l := o.lab
	l.t.Helper()
	l.hosts++
	h := &Host{
		lab:  l,
		Name: fmt.Sprintf("h%d", l.hosts),
		Dev:  "eth0",
		MAC:  fmt.Sprintf("02:00:00:00:%02x:%02x", l.hosts>>8, l.hosts&255),
		IP4:  netip.AddrFrom4([4]byte{10, 0, byte(l.hosts >> 8), byte(l.hosts)}),
		IP6:  netip.MustParseAddr(fmt.Sprintf("fd00::%x", l.hosts)),
	}
	h.Netns = "/run/netns/" + h.Name
	l.Run("ip", "netns", "add", h.Name)
	device := h.Name + "-sw"
	l.batch([]string{
		"link add " + device + " type veth peer name eth0 netns " + h.Name,
		"netns exec " + h.Name + " ip link set eth0 address " + h.MAC,
	})
	o.take(device)
	h.Run("ip", "addr", "add", h.IP4.String()+"/16", "dev", "eth0")
	h.Run("ip", "addr", "add", h.IP6.String()+"/64", "dev", "eth0", "nodad")
	h.Run("ip", "link", "set", "lo", "up")
	h.Run("ip", "link", "set", "eth0", "up")
	h.Run("ethtool", "-K", "eth0", "tx", "off")
	o.AddPort(bridge, device, port)
	return h
}
