package forward

import (
	"slices"

	"github.com/weirnet/weir/app/forward/outlet"
	"github.com/weirnet/weir/app/forward/pairs"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

const etherTypeIPv6 = 0x86dd

// Frame is what the application needs of a packet's headers.
type Frame struct {
	Dst, Src  uint64 // MAC addresses, in the low 48 bits
	VLAN      uint16 // as vlan_vid matches it: 0 untagged, else the id with openflow.VLANPresent
	EtherType uint16
}

// multicast reports whether the destination is a group or broadcast address.
func (fr Frame) multicast() bool { return fr.Dst>>40&1 != 0 }

// PacketIn handles a packet that came in at this switch. It is called on the goroutine that reads
// from the switch; pin is valid during the call only. What it appends to the switch's own output is
// sent after BatchEnd.
func (d *Datapath) PacketIn(pin *openflow.PacketIn, fr Frame) {
	d.count.PacketIns.Add(1)
	out := d.conn.Load()
	if out == nil {
		return
	}
	copied := plan.IsCopy(pin)
	if copied {
		d.count.Copies.Add(1)
		if fr.multicast() || !d.installsCopies(out, fr) {
			return
		}
	}
	if fr.multicast() { // package broadcast's
		return
	}
	pr := pairs.Of(fr.Src, fr.Dst, fr.VLAN)
	src, known := d.places.At(pr.Src())
	if known && src.DPID != d.id {
		d.transit(out, pin, pr, src.DPID, copied)
		return
	}
	d.mu.Lock()
	known = d.unicast(out, pin, pr, copied)
	d.mu.Unlock()
	if !known && !copied {
		d.flood(pin)
	}
}

// installsCopies reports whether a unicast packet that was flooded along the tree should get a
// path: where the tree also carries unicast other than ARP and neighbour discovery.
func (d *Datapath) installsCopies(out *outlet.Conn, fr Frame) bool {
	if d.cfg.Unknown == UnknownFlood {
		return fr.EtherType != packet.TypeARP
	}
	return out.Single && fr.EtherType == etherTypeIPv6
}

// flood sends a packet to a host that is not known to all. No lock is held.
func (d *Datapath) flood(pin *openflow.PacketIn) {
	if to := d.cfg.Broadcast; to != nil {
		to.Flood(d.id, pin)
		return
	}
	d.count.NoPath.Add(1)
}

// transit handles a packet that entered the network at another switch. If the pair's path crosses
// this one, it or a later one has lost its rule, and the rules from here on are sent again. If not,
// the packet was in transit while the pair moved: it is sent on, without a rule that would conflict
// with the pair's own. If the ingress switch has a rule of an earlier run that is not known, the
// pair enters here as far as this run is concerned.
func (d *Datapath) transit(out *outlet.Conn, pin *openflow.PacketIn, pr pairs.Pair, from netview.DPID, copied bool) {
	var over *pairs.Path
	ingress, entered := d.switches.get(from), false
	if ingress != nil {
		var fl pairs.Flow
		if fl, entered = ingress.flow(pr); entered {
			over = d.paths.HoldByID(fl.Path)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if over != nil {
		if i := over.IndexOf(d.id); i > 0 && over.Hops[i].In == pin.InPort && d.installs[pr] == nil &&
			!d.installer.waiting.full() && d.routes.valid(pr, over) {
			if !d.mayPass(over.Hops[i:]) {
				d.paths.Release(over.ID)
				d.installer.send.unruled(out, pin, pr, copied)
				return
			}
			d.installer.begin(pin, &install{pr: pr, path: over, first: i}, copied)
			return
		}
		d.paths.Release(over.ID)
	}
	if copied {
		return // flooded along the tree
	}
	hops, ok := d.hopsTo(pin, pr)
	switch {
	case !ok:
	case !entered && slices.ContainsFunc(hops, func(h topology.Hop) bool { return h.DPID == from }):
		// its rule would send the packet here again
		d.installer.send.direct(out, pin.InPort, pr, outlet.Whole(pin))
	case entered, hops[0].Out == pin.InPort:
		d.installer.send.on(out, pin, hops[0].Out, false)
	default:
		d.unicast(out, pin, pr, false)
	}
}

// hopsTo returns the hops from here to where the pair's destination is.
func (d *Datapath) hopsTo(pin *openflow.PacketIn, pr pairs.Pair) ([]topology.Hop, bool) {
	to, known := d.places.At(pr.Dst())
	if !known {
		return nil, false
	}
	hops, ok := d.routes.between(d.hops[:0], netview.Point{DPID: d.id, Port: pin.InPort}, to, pr)
	d.hops = hops
	if !ok {
		d.count.NoPath.Add(1)
	}
	return hops, ok
}

// unicast installs the pair's path and releases the packet along it. It returns false, and has done nothing,
// if the destination is not known. d.mu is held.
func (d *Datapath) unicast(out *outlet.Conn, pin *openflow.PacketIn, pr pairs.Pair, copied bool) (known bool) {
	to, known := d.places.At(pr.Dst())
	if !known {
		return false
	}
	if to.DPID == d.id {
		if to.Port != pin.InPort {
			d.local(out, pin, pr, to.Port, copied)
		}
		return true
	}
	if w := d.installs[pr]; w != nil {
		if !copied {
			d.installer.waiting.hold(w, pin)
		}
		return true
	}
	if hops, ok := d.hopsTo(pin, pr); ok {
		d.remote(out, pin, pr, hops, copied)
	}
	return true
}

// local installs a pair with both ends on this switch: one rule, no barrier. d.mu is held.
func (d *Datapath) local(out *outlet.Conn, pin *openflow.PacketIn, pr pairs.Pair, port uint32, copied bool) {
	send := &d.installer.send
	if d.full() || !d.mayBegin(pin.InPort) {
		if _, ok := d.pairs.Get(pr); !ok {
			d.count.Unruled.Add(1)
			send.on(out, pin, port, copied)
			return
		}
	}
	if !d.refusals.admits(&d.target) {
		send.unruled(out, pin, pr, copied)
		return
	}
	buffer := pin.Buffer // the switch releases the packet through its new rule
	if copied {
		buffer = openflow.NoBuffer
	}
	if send.Rule(out, pr, d.paths.Cookie(0), port, 0, buffer) {
		before := d.pairs.Len()
		d.set(pr, pairs.Flow{Out: port})
		if d.pairs.Len() > before {
			d.quota.Count(pin.InPort)
		}
	}
	switch {
	case copied:
	case buffer != openflow.NoBuffer:
		send.ReleasedByRule()
	default:
		send.Release(out, openflow.NoBuffer, pin.InPort, port, outlet.Frame(pin))
	}
}

// remote sends the rules of the path's downstream switches; this switch's own is sent when
// they are confirmed. d.mu is held.
func (d *Datapath) remote(out *outlet.Conn, pin *openflow.PacketIn, pr pairs.Pair, hops []topology.Hop, copied bool) {
	send := &d.installer.send
	if fl, ok := d.pairs.Get(pr); ok && !copied && d.paths.Is(fl, hops) {
		d.resend(out, pin, pr, fl)
		return
	}
	if hops[0].Out == pin.InPort { // a rule matches no port, and would send what comes from elsewhere back to where it came from
		send.on(out, pin, hops[0].Out, copied)
		return
	}
	if !d.mayPass(hops) {
		send.unruled(out, pin, pr, copied)
		return
	}
	if d.full() || d.installer.waiting.full() || !d.mayBegin(pin.InPort) {
		d.count.Unruled.Add(1)
		send.on(out, pin, hops[0].Out, copied)
		return
	}
	d.quota.Count(pin.InPort)
	d.installer.begin(pin, &install{pr: pr, path: d.paths.Acquire(hops)}, copied)
}

// mayPass reports whether a new path may be written to the switches of these hops: they take rules, and answer.
func (d *Datapath) mayPass(hops []topology.Hop) bool {
	return d.refusals.accepts(hops, nil) && !d.switches.silent(hops)
}

// resend handles a packet of a pair that has its path: it crossed the rule on the wire, or the
// switch lost the rule. The rule of this switch is sent again and the packet released. d.mu is held.
func (d *Datapath) resend(out *outlet.Conn, pin *openflow.PacketIn, pr pairs.Pair, fl pairs.Flow) {
	d.installer.send.Rule(out, pr, d.paths.IngressCookie(fl), fl.Out, 0, openflow.NoBuffer)
	d.installer.send.Release(out, pin.Buffer, pin.InPort, fl.Out, outlet.Frame(pin))
}
