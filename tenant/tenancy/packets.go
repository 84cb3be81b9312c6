package tenancy

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/southbound"
)

// Name is that of the application.
func (s *Tenancies) Name() string { return "tenants" }

// SwitchUp begins a session of a physical switch.
func (s *Tenancies) SwitchUp(sw *southbound.Switch) southbound.Part {
	p := &part{all: s, physical: s.at(sw.DPID), cookies: sw.Version >= openflow.V13}
	p.out = sw.Output(s.Name(), nil)
	p.physical.part.Store(p)
	return p
}

// part is a session of a physical switch.
type part struct {
	all      *Tenancies
	physical *physical
	cookies  bool // packet-ins have one
	out      *southbound.Output
}

// SwitchDown ends it.
func (p *part) SwitchDown() { p.physical.part.CompareAndSwap(p, nil) }

// Claim takes packet-ins that are tenants', and shows copies to those who watch them.
func (p *part) Claim(pin *openflow.PacketIn) bool {
	r := p.all.owners.Load()
	owner, claimed := p.claim(r, pin)
	if watchers := r.watchers(); len(watchers) > 0 {
		p.copyTo(watchers, pin, owner)
	}
	return claimed
}

// claim shows a packet-in to the tenant that it is of, and returns its number.
func (p *part) claim(r *owners, pin *openflow.PacketIn) (owner uint16, claimed bool) {
	if p.cookies {
		if c := plan.Decode(pin.Cookie); c.Kind == plan.KindTenant && c.Domain == p.all.cfg.Domain {
			number, _ := plan.TenantRow(c.Owner)
			if v := p.physical.of(number); v != nil {
				v.sw.PacketIn(pin)
			}
			return number, true // of a tenant that is gone, else
		}
	}
	switch {
	case !r.spaces && len(r.whole) == 0:
		return 0, false
	case isDiscovery(pin.Data):
		return 0, p.claimLLDP(r, pin)
	}
	owner = r.owner(netview.Point{DPID: p.physical.dpid, Port: pin.InPort}, pin.Data)
	if v := p.physical.of(owner); owner != 0 && !p.cookies && v != nil && v.has(pin.InPort) {
		v.sw.PacketIn10(pin)
	}
	return owner, owner != 0
}

// isDiscovery reports whether a frame is of the Ethernet type of discovery, to whatever address, and without a tag: switches
// send these to the controller before they look whose they are.
func isDiscovery(frame []byte) bool {
	return len(frame) >= 14 && uint16(frame[12])<<8|uint16(frame[13]) == packet.TypeLLDP
}

// owner returns the number of the tenant whose a frame is that came in at a port; 0: it is nobody's.
func (r *owners) owner(at netview.Point, frame []byte) uint16 {
	for _, d := range r.whole {
		if d.Has(at) {
			return d.Number
		}
	}
	if r.spaces {
		return r.frames.Owner(frame)
	}
	return 0
}

// claimLLDP takes the discovery frames of tenants. Those that a tenant has sent are shown to it at the other end, those in a
// space to that tenant; what is Weir's own, and what is nobody's, goes the usual way.
func (p *part) claimLLDP(r *owners, pin *openflow.PacketIn) bool {
	s, at := p.all, netview.Point{DPID: p.physical.dpid, Port: pin.InPort}
	owner := s.probes.arrived(at, pin.Data, s.elapsed(), s.leadsTo)
	if owner == 0 {
		if owner = r.owner(at, pin.Data); owner == 0 || s.cfg.Own(pin.Data) {
			return false
		}
	}
	if v := p.physical.of(owner); v != nil && v.has(pin.InPort) {
		v.sw.Receive(pin)
	}
	return true
}

// has reports whether a port is the switch's.
func (v *virtual) has(port uint32) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	_, has := v.ports[port]
	return has
}

// leadsTo returns how well two ports fit. Of ports with a link, only its other end does.
func (s *Tenancies) leadsTo(from, to netview.Point) way {
	snap, w := s.cfg.View.Snapshot(), wayUnknown
	for l := range snap.LinksFromPoint(from) {
		if l.Up && l.Dst == to {
			return wayKnown
		}
		if l.Up {
			w = wayNone
		}
	}
	for l := range snap.LinksToPoint(to) {
		if l.Up {
			w = wayNone
		}
	}
	return w
}
