package tenancy

import (
	"cmp"
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/tenant/connect"
	"github.com/weirnet/weir/tenant/shares"
)

// Virtual is what is known of a tenant's switch.
type Virtual struct {
	DPID      netview.DPID
	Connected bool // the physical switch is
	Ports     []uint32
	Links     []Link
	Entries   int
	Groups    int
	Meters    int
	Losses    connect.Losses
	Waiting   int       // rules whose outcome is not known
	Counted   time.Time // when the physical switch was asked for the counters of entries; zero: they are not known
	Restarted Restart
	Micro     connect.Micro
	Bandwidth string // why the limit of bandwidth is not in force; empty if it is, or if there is none
}

// Count returns how many tenants are served.
func (s *Tenancies) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tenancies)
}

// Used returns what a tenant has had of the processors.
func (s *Tenancies) Used(name string) shares.State {
	s.mu.Lock()
	t := s.tenancies[name]
	s.mu.Unlock()
	if t == nil {
		return shares.State{}
	}
	return t.account.State()
}

// State returns what is known of a tenant's switches, in the order of datapath ids; false if there is no such tenant in
// force.
func (s *Tenancies) State(name string) (list []Virtual, ok bool) {
	s.mu.Lock()
	t := s.tenancies[name]
	if t == nil {
		s.mu.Unlock()
		return nil, false
	}
	all := make([]*virtual, 0, len(t.virtual))
	for _, v := range t.virtual {
		all = append(all, v)
	}
	s.mu.Unlock()
	for _, v := range all {
		list = append(list, v.state())
	}
	slices.SortFunc(list, func(a, b Virtual) int { return cmp.Compare(a.DPID, b.DPID) })
	return list, true
}

// state returns what is known of the switch.
func (v *virtual) state() Virtual {
	s := Virtual{DPID: v.physical.dpid, Connected: v.physical.part.Load() != nil}
	s.Entries, s.Groups, s.Meters, s.Waiting = v.sw.Counts()
	s.Losses, s.Micro = v.sw.Losses(), connect.MicroOf(v.sw)
	if age, ok := v.sw.Age(); ok {
		s.Counted = v.all.cfg.Now().Add(-age)
	}
	v.mu.Lock()
	s.Restarted, s.Bandwidth = v.restarted, v.bandwidth
	var controllers []*controller
	for number := range v.ports {
		s.Ports = append(s.Ports, number)
	}
	for _, c := range v.controllers {
		controllers = append(controllers, c)
	}
	v.mu.Unlock()
	slices.Sort(s.Ports)
	for _, c := range controllers {
		s.Links = append(s.Links, c.state())
	}
	slices.SortFunc(s.Links, func(a, b Link) int { return cmp.Compare(a.Controller.String(), b.Controller.String()) })
	return s
}
