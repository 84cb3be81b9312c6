package tenancy

import (
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
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
		touched = nil
	}
	refused, next := s.refused.take(s.cfg.Now())
	if refused != nil {
		touched = nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.tenancies)) {
		t := s.tenancies[name]
		t.forget(refused)
		dpids := touched
		if dpids == nil {
			dpids = t.switches(snap)
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
			if v.waning {
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
	frames, err := vswitch.NewFrames(all)
	if err != nil { // the regions have been checked
		panic(err)
	}
	r := &ruling{frames: frames}
	for _, d := range all.All() {
		if len(d.Space) == 0 {
			r.whole = append(r.whole, d)
		} else {
			r.spaces = true
		}
	}
	s.ruling.Store(r)
	s.reserve(r.whole)
	for name, t := range s.tenancies {
		if d := all.Get(name); d == nil || d.Number != t.definition.Number {
			t.remove()
			s.mu.Lock()
			delete(s.tenancies, name)
			s.mu.Unlock()
		}
	}
	for _, d := range all.All() {
		t := s.tenancies[d.Name]
		if t == nil {
			t = &tenancy{of: s, rows: &vswitch.Rows{}, virtual: make(map[netview.DPID]*virtual),
				classified: make(map[netview.DPID][]*ruleset.Set)}
			s.mu.Lock()
			s.tenancies[d.Name] = t
			s.mu.Unlock()
		}
		t.define(d, all.Space(d.Name), frames)
	}
	s.now = all
}
