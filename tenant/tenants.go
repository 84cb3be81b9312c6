package tenant

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Tenants are definitions that do not contradict each other. It has one owner at a time; of those that nobody changes any more
// any goroutine may ask.
type Tenants struct {
	byName  map[string]*Definition
	regions atomic.Pointer[regions] // of all; nil when a definition has changed, until Space wants them
	numbers atomic.Pointer[map[uint16]string]
}

// regions are those of all tenants, which their spaces share. They do not change.
type regions struct {
	priorities []uint16          // rising
	list       []region          // by tenants' names, and falling priority
	of         map[string][2]int // where a tenant's begin and end in list
}

// New has no tenants.
func New() *Tenants { return &Tenants{byName: make(map[string]*Definition)} }

// Clone returns another with the same tenants.
func (t *Tenants) Clone() *Tenants {
	c := &Tenants{byName: maps.Clone(t.byName)}
	c.regions.Store(t.regions.Load())
	c.numbers.Store(t.numbers.Load())
	return c
}

// Get returns a tenant's definition; nil if there is none. It is not to be changed.
func (t *Tenants) Get(name string) *Definition { return t.byName[name] }

// Name returns the name of the tenant that has a number; "" if none has.
func (t *Tenants) Name(number uint16) string {
	names := t.numbers.Load()
	if names == nil {
		of := make(map[uint16]string, len(t.byName))
		for _, d := range t.byName {
			of[d.Number] = d.Name
		}
		names = &of
		t.numbers.Store(names)
	}
	return (*names)[number]
}

// All returns the definitions by name.
func (t *Tenants) All() []*Definition {
	all := make([]*Definition, 0, len(t.byName))
	for _, d := range t.byName {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *Definition) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Put checks a definition, by itself and against those of others, and puts it in place of the one of its name. After an
// error, which is an *Error, nothing has changed.
func (t *Tenants) Put(d Definition) error {
	if err := t.Check(&d); err != nil {
		return err
	}
	t.byName[d.Name] = &d
	t.regions.Store(nil)
	t.numbers.Store(nil)
	return nil
}

// Check is Put without the change; d is made canonical.
func (t *Tenants) Check(d *Definition) error {
	if err := d.Check(); err != nil {
		return err
	}
	if was := t.byName[d.Name]; was != nil && was.Number != d.Number {
		return &Error{"number", fmt.Sprint(d.Number), fmt.Sprintf("%d: that of tenant %s does not change", was.Number, d.Name)}
	}
	own := d.byPriority()
	for _, other := range t.All() {
		if other.Name == d.Name {
			continue
		}
		if err := d.contradicts(other, own); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes a tenant, and reports whether it was there.
func (t *Tenants) Delete(name string) bool {
	_, had := t.byName[name]
	delete(t.byName, name)
	t.regions.Store(nil)
	t.numbers.Store(nil)
	return had
}

// contradicts says what two definitions cannot both have; own are the regions of d.
func (d *Definition) contradicts(other *Definition, own map[uint16][]region) error {
	if d.Number == other.Number {
		return &Error{"number", fmt.Sprint(d.Number), fmt.Sprintf("another: tenant %s has it", other.Name)}
	}
	if d.Whole() && other.ownsPackets() || other.Whole() && d.ownsPackets() {
		if p, shared := d.sharedPort(other); shared {
			whole := d.Name
			if !d.Whole() {
				whole = other.Name
			}
			return &Error{"ports", FormatPort(p), fmt.Sprintf("ports without those of tenant %s: tenant %s has no space, so that all packets "+
				"at its ports are its own", other.Name, whole)}
		}
		return nil
	}
	for i := range other.Space {
		same := own[other.Space[i].Priority]
		if len(same) == 0 {
			continue
		}
		theirs := newRegion(&other.Space[i])
		for k := range same {
			if same[k].overlaps(&theirs) {
				return &Error{"space", same[k].text, fmt.Sprintf("another priority: %s of tenant %s has the same, and packets in common",
					other.Space[i].Match, other.Name)}
			}
		}
	}
	return nil
}

// ownsPackets reports whether some packets are the tenant's: it has more than read-only regions.
func (d *Definition) ownsPackets() bool { return d.Whole() || len(d.Space) > 0 }

// byPriority returns the regions by their priority.
func (d *Definition) byPriority() map[uint16][]region {
	all := make(map[uint16][]region)
	for i := range d.Space {
		priority := d.Space[i].Priority
		all[priority] = append(all[priority], newRegion(&d.Space[i]))
	}
	return all
}

// sharedPort returns a port that both have, or ports.
func (d *Definition) sharedPort(other *Definition) (netview.Point, bool) {
	if other.Ports[0] == AllPorts {
		return d.Ports[0], true
	}
	for _, p := range d.Ports {
		if p == AllPorts {
			return other.Ports[0], true
		}
		if theirs, all := other.At(p.DPID); all || len(theirs) > 0 && (p.Port == 0 || slices.Contains(theirs, p.Port)) {
			return p, true
		}
	}
	return netview.Point{}, false
}

// Space is a tenant's part of the packets, as the spaces of others leave it.
type Space struct {
	of  *Definition
	own []region // by falling priority; empty: all packets, or none
	all *regions
}

// Space returns the space of a tenant, as it is until the next change of Tenants.
func (t *Tenants) Space(name string) *Space {
	d := t.byName[name]
	if d == nil {
		return nil
	}
	all := t.regions.Load()
	if all == nil {
		all = regionsOf(t.All())
		t.regions.Store(all)
	}
	at := all.of[name]
	return &Space{of: d, own: all.list[at[0]:at[1]], all: all}
}

func regionsOf(all []*Definition) *regions {
	x := &regions{of: make(map[string][2]int)}
	for _, d := range all {
		from := len(x.list)
		for i := range d.Space {
			x.list = append(x.list, newRegion(&d.Space[i]))
			x.priorities = append(x.priorities, d.Space[i].Priority)
		}
		x.of[d.Name] = [2]int{from, len(x.list)}
	}
	slices.Sort(x.priorities)
	x.priorities = slices.Compact(x.priorities)
	return x
}

// eachOther yields the regions of other tenants.
func (s *Space) eachOther(yield func(*region) bool) {
	own := s.all.of[s.of.Name]
	for i := range s.all.list {
		if (i < own[0] || i >= own[1]) && !yield(&s.all.list[i]) {
			return
		}
	}
}

// Same reports whether a tenant has the same packets in another space, and others' regions have the same priorities: where
// the rules of its entries stand, and what they match, is the same then.
func (s *Space) Same(other *Space) bool {
	return s.Whole() == other.Whole() && SameRegions(s.of.Space, other.of.Space) &&
		slices.Equal(s.all.priorities, other.all.priorities)
}

// SameRegions reports whether two lists of regions in order have the same.
func SameRegions(a, b []Region) bool {
	return slices.EqualFunc(a, b, func(a, b Region) bool {
		return a.Priority == b.Priority && a.Match.Key() == b.Match.Key()
	})
}

// Whole reports whether all packets at the tenant's ports are its own.
func (s *Space) Whole() bool { return s.of.Whole() }

// OwnsPackets reports whether some packets are the tenant's: it has more than read-only regions.
func (s *Space) OwnsPackets() bool { return s.of.ownsPackets() }

// Regions returns the tenant's regions, but for those that are read-only. They are not to be changed.
func (s *Space) Regions() []Region { return s.of.Space }

// All reports whether all ports of a switch are the tenant's.
func (s *Space) All(dpid netview.DPID) bool {
	_, all := s.of.At(dpid)
	return all
}

// Priorities returns the priorities that regions have, of all tenants, in rising order. They are not to be changed.
func (s *Space) Priorities() []uint16 { return s.all.priorities }

// Whose returns the name of the tenant whose space a packet is in, given as a match that fixes all its fields; "" if it is
// nobody's. Of tenants without regions it knows nothing.
func (t *Tenants) Whose(packet openflow.Match) string {
	name, priority := "", uint16(0)
	for _, d := range t.byName {
		for i := range d.Space {
			if r := &d.Space[i]; r.Priority > priority && r.Match.Overlaps(packet) {
				name, priority = d.Name, r.Priority
			}
		}
	}
	return name
}
