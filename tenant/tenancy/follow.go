package tenancy

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/tenant"
	"github.com/weirnet/weir/tenant/vswitch"
)

// changesAtOnce bounds the changes of the view in one turn.
const changesAtOnce = 4096

// turn brings new definitions into force, and follows the view. It returns when a controller is to lose its connection.
func (s *Tenancies) turn() (next time.Time) {
	touched, snap := s.follow()
	if wanted := s.wanted.Load(); wanted != nil && wanted != s.now {
		s.define(wanted)
	}
	refused, next := s.refused.take(s.cfg.Now())
	metered := s.refused.takeMetered()
	if refused != nil || metered != nil {
		touched = nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.tenancies)) {
		t := s.tenancies[name]
		if refused != nil {
			t.forget(refused)
		}
		if metered != nil {
			t.withoutMeter(snap, metered)
		}
		dpids := touched
		if dpids == nil || t.stale {
			dpids, t.stale = t.switches(snap), false
		}
		for dpid := range dpids {
			if at := t.refresh(snap, dpid); !at.IsZero() && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
	}
	return next
}

// follow returns the switches that something has changed at since the last turn; nil: any may have. A switch that is away
// has changed until its controllers have lost their connections.
func (s *Tenancies) follow() (touched map[netview.DPID]bool, snap *netview.Snapshot) {
	changes, upto, snap, ok := s.cfg.View.Follow(s.seen, changesAtOnce)
	s.seen = upto
	if !ok || !s.begun {
		s.begun, s.seen = true, snap.Revision()
		return nil, snap
	}
	touched = make(map[netview.DPID]bool)
	for i := range changes {
		switch c := &changes[i]; c.Kind {
		case netview.KindSwitch:
			touched[c.Switch.DPID] = true
		case netview.KindLink:
			touched[c.Link.Src.DPID], touched[c.Link.Dst.DPID] = true, true
		}
	}
	for _, t := range s.tenancies {
		for dpid, v := range t.virtual {
			if v.away {
				touched[dpid] = true
			}
		}
	}
	return touched, snap
}

// reserve reserves the ports of tenants that have all that comes in there, and has Weir forget hosts that it knows there.
func (s *Tenancies) reserve(whole []*tenant.Definition) {
	set := &netview.PortSet{Switches: make(map[netview.DPID]bool), Ports: make(map[netview.Point]bool)}
	for _, d := range whole {
		for _, p := range d.Ports {
			switch {
			case p == tenant.AllPorts:
				set.All = true
			case p.Port == 0:
				set.Switches[p.DPID] = true
			default:
				set.Ports[p] = true
			}
		}
	}
	s.reserved.Set(set)
	for h := range s.cfg.View.Snapshot().Hosts() {
		if set.Has(h.At) {
			s.cfg.DropHost(h.HostID)
		}
	}
}

// define brings definitions into force. What follows from them at switches is left to refresh.
func (s *Tenancies) define(all *tenant.Tenants) {
	owners := &owners{frames: s.owners.Load().frames}
	moved := owners.frames == nil || !sameSpaces(s.now, all) // else no tenant's space is another now, nor checked again
	if moved {
		var err error
		if owners.frames, err = vswitch.NewFrames(all); err != nil { // the regions have been checked
			panic(err)
		}
	}
	for _, d := range all.All() {
		if d.Whole() {
			owners.whole = append(owners.whole, d)
		} else if len(d.Space) > 0 {
			owners.spaces = true
		}
	}
	s.owners.Store(owners)
	s.reserve(owners.whole)
	for name, t := range s.tenancies {
		if d := all.Get(name); d == nil || d.Number != t.definition.Number || d.ID != t.definition.ID {
			t.remove()
			t.account.Close()
			s.mu.Lock()
			delete(s.tenancies, name)
			s.mu.Unlock()
		}
	}
	for _, d := range all.All() {
		t := s.tenancies[d.Name]
		if t == nil {
			t = &tenancy{of: s, account: s.shares.Account(), rows: s.saver.rowsOf(d.Number),
				virtual: make(map[netview.DPID]*virtual), classified: make(map[netview.DPID]classified),
				unmetered: make(map[netview.DPID]unmetered)}
			s.mu.Lock()
			s.tenancies[d.Name] = t
			s.mu.Unlock()
		}
		changed := t.define(d)
		if moved || changed {
			t.setSpace(all.Space(d.Name), owners.frames)
		}
		t.stale = t.stale || changed || moved && t.single()
	}
	s.now = all
	s.saver.forget(all)
}

// sameSpaces reports whether the same tenants have the same spaces.
func sameSpaces(a, b *tenant.Tenants) bool {
	x, y := a.All(), b.All()
	return slices.EqualFunc(x, y, func(x, y *tenant.Definition) bool {
		return x.Name == y.Name && x.Number == y.Number &&
			tenant.SameRegions(x.Space, y.Space) && tenant.SameRegions(x.Watched, y.Watched)
	})
}
