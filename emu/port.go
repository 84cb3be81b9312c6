package emu

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/emu/delay"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// port is a port of a switch, at which a link ends.
type port struct {
	sw     *Switch
	number uint32
	link   *Link
	out    *simplex // of link

	taps    atomic.Pointer[[]*tap]
	broken  atomic.Bool // by SetPort
	stopped atomic.Bool // by a controller: OFPPC_PORT_DOWN

	// Under the switch's lock:
	model delay.Port
}

// maxPortName is the longest name of a port, in bytes: that of an interface in Linux.
const maxPortName = 15

// portName is "s1-eth1", as Mininet names ports, or "p1" where that is too long.
func portName(sw string, number uint32) string {
	if name := fmt.Sprintf("%s-eth%d", sw, number); len(name) <= maxPortName {
		return name
	}
	return fmt.Sprintf("p%d", number)
}

// describe is a port as its switch tells of it; its link does not carry yet.
func (p *port) describe(spec topo.LinkSpec) openflow.Port {
	d := openflow.Port{Number: p.number, Name: portName(p.sw.name, p.number), State: openflow.PortStateDown}
	d.Curr, d.CurrSpeed = speed(spec.RateBPS)
	d.MaxSpeed, d.Supported, d.Advertised, d.Peer = d.CurrSpeed, d.Curr, d.Curr, d.Curr
	d.HWAddr = p.sw.portAddress(p.number)
	return d
}

// localPort is the switch's own port, OFPP_LOCAL. No link ends there.
func (sw *Switch) localPort() openflow.Port {
	name := sw.name
	if len(name) > maxPortName {
		name = "local"
	}
	return openflow.Port{Number: openflow.PortLocal, Name: name, HWAddr: sw.portAddress(0),
		Config: openflow.PortConfigDown, State: openflow.PortStateDown}
}

// portAddress is the MAC address of a port, or, of number 0, of the switch.
func (sw *Switch) portAddress(number uint32) (mac [6]byte) {
	mac[0] = portMAC
	binary.BigEndian.PutUint32(mac[1:], sw.mac<<8|number>>8&0xff)
	mac[5] = uint8(number)
	return mac
}

// portMAC begins the MAC addresses of ports, which are administered locally as those of hosts are,
// and begin otherwise. What follows are 24 bits of the switch and 16 of the port's number.
const portMAC = 0x06

// assignMACs gives every switch 24 bits of its own: the lowest of its datapath id, or the next that
// no other has.
func (n *Network) assignMACs() {
	const bits = 1<<24 - 1
	used := make(map[uint32]bool, len(n.switches))
	for _, sw := range n.switches {
		sw.mac = uint32(sw.id) & bits
		for used[sw.mac] {
			sw.mac = (sw.mac + 1) & bits
		}
		used[sw.mac] = true
	}
}

// speeds are the features that stand for rates, in kbit/s.
var speeds = map[uint32]uint32{
	10_000:      openflow.PortFeature10MbFD,
	100_000:     openflow.PortFeature100MbFD,
	1_000_000:   openflow.PortFeature1GbFD,
	10_000_000:  openflow.PortFeature10GbFD,
	40_000_000:  openflow.PortFeature40GbFD,
	100_000_000: openflow.PortFeature100GbFD,
}

// speed is the feature that stands for a rate, and the rate in kbit/s; without a limit, that of 10
// Gbit/s Ethernet.
func speed(bps uint64) (feature, kbps uint32) {
	kbps = cmp.Or(uint32(min(bps/1000, math.MaxUint32)), 10_000_000)
	return cmp.Or(speeds[kbps], openflow.PortFeatureOther), kbps
}

// usable reports whether the port itself lets its link have a carrier.
func (p *port) usable() bool { return p.sw.power.Load() && !p.broken.Load() && !p.stopped.Load() }

// receive takes a frame that came over the link.
func (p *port) receive(e *engine, frame []byte) {
	p.tap(Received, frame, e.now)
	p.sw.process(e, p.number, frame)
}

// tap shows a frame to those who capture.
func (p *port) tap(way CaptureKind, frame []byte, now time.Duration) {
	if taps := p.taps.Load(); taps != nil {
		for _, t := range *taps {
			t.show(p.sw.net.at(now), way, frame)
		}
	}
}
