package netlab

import (
	"fmt"
	"net/netip"
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

// Build makes the switches s1…, the hosts h1… and the cables of a topology; hosts have the lowest port numbers of their
// switch. The bridges speak one version of OpenFlow to the controllers.
func (o *OVS) Build(t Topology, version string, controllers ...string) *Network {
	o.lab.t.Helper()
	n := &Network{lab: o.lab}
	ports := make([]int, t.Switches)
	for i := range t.Switches {
		s := Switch{Name: fmt.Sprintf("s%d", i+1), DPID: uint64(i + 1)}
		n.Switches = append(n.Switches, s)
		o.AddBridge(s.Name, s.DPID, version, controllers...)
	}
	for _, s := range t.Hosts {
		ports[s]++
		n.Hosts = append(n.Hosts, o.AddHost(n.Switches[s].Name, ports[s]))
	}
	for _, l := range t.Links {
		end := func(s int) End {
			ports[s]++
			return End{Switch: s, Device: fmt.Sprintf("%s-p%d", n.Switches[s].Name, ports[s]), Port: ports[s]}
		}
		n.Cables = append(n.Cables, o.Connect(end(l[0]), end(l[1]), n.Switches))
	}
	return n
}

// Connect joins two switches of the list by a cable.
func (o *OVS) Connect(a, b End, switches []Switch) *Cable {
	o.lab.t.Helper()
	o.lab.batch([]string{
		"link add " + a.Device + " type veth peer name " + b.Device,
		"link set " + a.Device + " up",
		"link set " + b.Device + " up",
	})
	o.AddPort(switches[a.Switch].Name, a.Device, a.Port)
	o.AddPort(switches[b.Switch].Name, b.Device, b.Port)
	return &Cable{lab: o.lab, A: a, B: b}
}

// AddHost makes the lab's next host hN, with addresses 10.0.x.y/16 and fd00::N/64, on a port of a bridge.
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
		"link set " + device + " up",
		"netns exec " + h.Name + " ip link set eth0 address " + h.MAC,
	})
	h.Run("ip", "addr", "add", h.IP4.String()+"/16", "dev", "eth0")
	h.Run("ip", "addr", "add", h.IP6.String()+"/64", "dev", "eth0", "nodad")
	h.Run("ip", "link", "set", "lo", "up")
	h.Run("ip", "link", "set", "eth0", "up")
	h.Run("ethtool", "-K", "eth0", "tx", "off")
	o.AddPort(bridge, device, port)
	return h
}
