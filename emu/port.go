package emu

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

// ports are those of a switch, in order of their numbers.
type ports []*port

// find is the port of a number; nil if there is none. Numbers mostly are 1, 2, 3 …
func (l ports) find(number uint32) *port {
	if i := number - 1; i < uint32(len(l)) && l[i].number == number {
		return l[i]
	}
	for _, p := range l {
		if p.number == number {
			return p
		}
	}
	return nil
}

func (l ports) sort() {
	slices.SortFunc(l, func(a, b *port) int { return cmp.Compare(a.number, b.number) })
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
	d.HWAddr = p.sw.address(p.number)
	return d
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
