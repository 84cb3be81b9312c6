package forward

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/topology"
)

const etherTypeIPv6 = 0x86dd

// PacketIn handles a packet that came in at this switch. It is called on the goroutine that reads
// from the switch; pin is valid during the call only. What it appends to the switch's own output is
// sent after BatchEnd.
func (d *Datapath) PacketIn(pin *openflow.PacketIn, fr Frame) {
	f := d.f
	f.count.PacketIns.Add(1)
	out := d.conn.Load()
	if out == nil {
		return
	}
	copied := plan.IsCopy(pin)
	if copied {
		f.count.Copies.Add(1)
		if fr.multicast() || !f.installsCopies(out, fr) {
			return
		}
	}
	if fr.multicast() { // package broadcast's
		return
	}
	pr := pairOf(fr)
	src, known := f.hosts.get(pr.srcKey())
	if known && src.at.DPID != d.id {
		d.transit(out, pin, pr, src, copied)
		return
	}
	d.mu.Lock()
	known = d.unicast(out, pin, pr, copied)
	d.mu.Unlock()
	if !known && !copied {
		d.flood(pin)
	}
}

// flood sends a packet to a host that is not known to all. No lock is held.
func (d *Datapath) flood(pin *openflow.PacketIn) {
	if to := d.f.cfg.Broadcast; to != nil {
		to.Flood(d.id, pin)
		return
	}
	d.f.count.NoPath.Add(1)
}

// transit handles a packet that entered the network at another switch. If the pair's path crosses
// this one, it or a later one has lost its rule, and the rules from here on are sent again. If not,
// the packet was in transit while the pair moved: it is sent on, without a rule that would conflict
// with the pair's own. If the ingress switch has a rule of an earlier run that is not known, the
// pair enters here as far as this run is concerned.
func (d *Datapath) transit(out *switchConn, pin *openflow.PacketIn, pr pair, src hostPlace, copied bool) {
	var over *path
	ingress, entered := d.f.datapath(src.at.DPID), false
	if ingress != nil {
		var fl flow
		if fl, entered = ingress.flowOf(pr); entered {
			over = d.f.paths.retainByID(fl.path)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if over != nil {
		if i := over.indexOf(d.id); i > 0 && over.hops[i].In == pin.InPort && d.installs[pr] == nil &&
			d.heldPackets < MaxHeldSwitch && d.f.pathValid(pr, over) {
			if !d.f.accepts(over.hops[i:], nil) {
				d.f.paths.release(over.id)
				d.sendUnruled(out, pin, pr, copied)
				return
			}
			d.startInstall(pin, &install{pr: pr, path: over, first: i}, copied)
			return
		}
		d.f.paths.release(over.id)
	}
	if copied {
		return // flooded along the tree
	}
	hops, ok := d.hopsTo(pin, pr)
	switch {
	case !ok:
	case !entered && (&path{hops: hops}).indexOf(src.at.DPID) >= 0: // whose rule would send it here again
		d.sendDirect(out, pin.InPort, pr, wholeFrame(pin))
	case entered, hops[0].Out == pin.InPort:
		d.sendOn(out, pin, hops[0].Out, false)
	default:
		d.unicast(out, pin, pr, false)
	}
}

// hopsTo returns the hops from here to where the pair's destination is.
func (d *Datapath) hopsTo(pin *openflow.PacketIn, pr pair) ([]topology.Hop, bool) {
	dst, known := d.f.hosts.get(pr.dstKey())
	if !known {
		return nil, false
	}
	hops, ok := d.f.pathTo(d.hops[:0], netview.Point{DPID: d.id, Port: pin.InPort}, dst.at, pr)
	d.hops = hops
	if !ok {
		d.f.count.NoPath.Add(1)
	}
	return hops, ok
}

// installsCopies reports whether a unicast packet that was flooded along the tree should get a
// path: where the tree also carries unicast other than ARP and neighbour discovery.
func (f *Forward) installsCopies(out *switchConn, fr Frame) bool {
	if f.cfg.Unknown == UnknownFlood {
		return fr.EtherType != 0x0806
	}
	return out.single && fr.EtherType == etherTypeIPv6
}

// unicast installs the pair's path and releases the packet along it. It returns false, and has done nothing,
// if the destination is not known. d.mu is held.
func (d *Datapath) unicast(out *switchConn, pin *openflow.PacketIn, pr pair, copied bool) (known bool) {
	dst, known := d.f.hosts.get(pr.dstKey())
	if !known {
		return false
	}
	if dst.at.DPID == d.id {
		if dst.at.Port != pin.InPort {
			d.local(out, pin, pr, dst.at.Port, copied)
		}
		return true
	}
	if w := d.installs[pr]; w != nil {
		if !copied {
			d.holdPacket(w, pin)
		}
		return true
	}
	if hops, ok := d.hopsTo(pin, pr); ok {
		d.installRemote(out, pin, pr, hops, copied)
	}
	return true
}

// pathTo returns the hops from a point to another, in the current topology.
func (f *Forward) pathTo(buf []topology.Hop, from, to netview.Point, pr pair) ([]topology.Hop, bool) {
	m := f.currentMap()
	if m == nil {
		return buf, false
	}
	if backoff := f.backoff.Load(); backoff != nil {
		if hops, ok := m.PathAround(from, to, pr.hash(), *backoff, buf); ok {
			return hops, true
		} // there is no path but over links that flap
	}
	return m.PathBetween(from, to, pr.hash(), buf)
}

// local installs a pair with both ends on this switch: one rule, no barrier.
func (d *Datapath) local(out *switchConn, pin *openflow.PacketIn, pr pair, port uint32, copied bool) {
	if d.pairs.Len() >= MaxPairs || !d.mayBegin(pin.InPort) {
		if _, ok := d.pairs.get(pr); !ok {
			d.f.count.Unruled.Add(1)
			d.sendOn(out, pin, port, copied)
			return
		}
	}
	if !d.admits() {
		d.sendUnruled(out, pin, pr, copied)
		return
	}
	d.pairRule(&d.fm, pr, d.f.cookie(0), out.table, port)
	d.fm.Flags = openflow.FlagSendFlowRemoved
	if !copied {
		d.fm.Buffer = pin.Buffer // the switch releases the packet through its new rule
	}
	if d.send(out.FlowMod(&d.fm)) {
		before := d.pairs.Len()
		d.setFlow(pr, flow{out: port})
		if d.pairs.Len() > before {
			d.countPair(pin.InPort)
		}
	}
	if copied {
		return
	}
	if pin.Buffer != openflow.NoBuffer {
		d.f.count.Released.Add(1)
		return
	}
	d.release(out, openflow.NoBuffer, pin.InPort, port, d.frameOf(pin))
}

// frameOf returns the packet's bytes, nil if the switch sent only its beginning.
func (d *Datapath) frameOf(pin *openflow.PacketIn) []byte {
	if pin.Buffer == openflow.NoBuffer && len(pin.Data) < int(pin.TotalLen) {
		return nil
	}
	return pin.Data
}

// release sends a packet on: the buffered one, or else the frame. A truncated frame is not sent.
func (d *Datapath) release(out *switchConn, buffer, inPort, port uint32, frame []byte) {
	d.po = openflow.PacketOut{Buffer: buffer, InPort: inPort, Actions: d.act[:]}
	d.act[0] = openflow.Output(port)
	if port == inPort {
		d.act[0].Port = openflow.PortInPort // OpenFlow sends nothing back out of its ingress port but so
	}
	if buffer == openflow.NoBuffer {
		if len(frame) == 0 {
			return
		}
		d.po.Data = frame
	}
	if d.send(out.PacketOut(&d.po)) {
		d.f.count.Released.Add(1)
	}
}

// send counts a message that could not be queued.
func (d *Datapath) send(err error) bool {
	if err != nil {
		d.f.count.Unsent.Add(1)
		return false
	}
	return true
}
