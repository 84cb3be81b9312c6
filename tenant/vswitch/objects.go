package vswitch

import (
	"cmp"
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
	"github.com/weirnet/weir/tenant"
)

// contents are what the tenant's groups and meters do, by its numbers: the physical switch has them under other ones.
type contents struct {
	groups map[uint32]*object.Group
	meters map[uint32]*object.Meter
}

// GroupMod changes groups as a controller asks. The error is a *flowtable.Error; then nothing has changed.
func (s *Switch) GroupMod(v openflow.Version, m *openflow.GroupMod, who Origin, now time.Duration, out Output) error {
	s.begin(who, now, out)
	if m.Command != openflow.GroupDelete {
		if err := (checks{physical: &s.physical}).group(m); err != nil {
			return err
		}
	}
	before := listedGroups(s.tables, now)
	if err := s.tables.GroupMod(v, m, now, (*changes)(s)); err != nil {
		return err
	}
	if _, other := object.ReadGroups(listedGroups(s.tables, now)); m.Command != openflow.GroupDelete && other[m.Group] != nil {
		back := &openflow.GroupMod{Command: openflow.GroupDelete, Group: m.Group} // no entry uses one that is new
		for i := range before {
			if g := &before[i]; g.Group == m.Group {
				back = &openflow.GroupMod{Command: openflow.GroupModify, Group: g.Group, Kind: g.Kind, Buckets: g.Buckets}
			}
		}
		_ = s.tables.GroupMod(openflow.V13, back, now, (*changes)(s)) // what was there is taken
		Tally{s}.restate(objectName{number: m.Group})
		return &flowtable.Error{Code: openflow.GroupModFailedInvalidGroup, Reason: other[m.Group].Error()}
	}
	making{s}.noteObjects(objectName{number: m.Group})
	microFlows{&s.physical}.removeWhere(func(r *row) bool { return r.flow.groups })
	s.reorder(usesObject)
	microFlows{&s.physical}.turnBack() // entries go with a group
	return nil
}

// MeterMod changes meters as a controller asks, as GroupMod does.
func (s *Switch) MeterMod(v openflow.Version, m *openflow.MeterMod, who Origin, now time.Duration, out Output) error {
	s.begin(who, now, out)
	before := listedMeters(s.tables, now)
	if err := s.tables.MeterMod(v, m, now, (*changes)(s)); err != nil {
		return err
	}
	if _, other := object.ReadMeters(listedMeters(s.tables, now)); m.Command != openflow.MeterDelete && other[m.Meter] != nil {
		back := &openflow.MeterMod{Command: openflow.MeterDelete, Meter: m.Meter}
		for i := range before {
			if c := &before[i]; c.Meter == m.Meter {
				back = &openflow.MeterMod{Command: openflow.MeterModify, Meter: c.Meter, Flags: c.Flags, Bands: c.Bands}
			}
		}
		_ = s.tables.MeterMod(openflow.V13, back, now, (*changes)(s))
		Tally{s}.restate(objectName{meter: true, number: m.Meter})
		return &flowtable.Error{Code: openflow.MeterModFailedBadBand, Reason: other[m.Meter].Error()}
	}
	making{s}.noteObjects(objectName{meter: true, number: m.Meter})
	s.reorder(usesObject)
	return nil
}

// group refuses what the tables would take, and the physical switch must not have.
func (s checks) group(m *openflow.GroupMod) error {
	s.gone = s.replaying // groups stay whose buckets have lost their ports
	for i := range m.Buckets {
		b := &m.Buckets[i]
		if _, own := s.ports[b.WatchPort]; !own && !s.gone && b.WatchPort != openflow.PortAny {
			return &flowtable.Error{Code: openflow.GroupModFailedBadWatch, Reason: "no port of the tenant's"}
		}
		if err := s.actions(openflow.Match{}, b.Actions, tenant.AtTheEnd); err != nil {
			return err
		}
	}
	return nil
}

// listedGroups are the tenant's groups as its controller gave them, in memory of their own.
func listedGroups(tables *flowtable.Switch, now time.Duration) []openflow.GroupDesc {
	list, err := tables.Multipart(openflow.V13, &openflow.GroupDescRequest{}, now)
	if err != nil {
		return nil
	}
	groups := slices.Clone(list.(*openflow.GroupDescList).Groups)
	for i := range groups {
		buckets := slices.Clone(groups[i].Buckets)
		for k := range buckets {
			buckets[k].Actions = slices.Clone(buckets[k].Actions)
			for n := range buckets[k].Actions {
				buckets[k].Actions[n].Data = slices.Clone(buckets[k].Actions[n].Data)
			}
		}
		groups[i].Buckets = buckets
	}
	return groups
}

// listedMeters are the tenant's meters as its controller gave them, in memory of their own.
func listedMeters(tables *flowtable.Switch, now time.Duration) []openflow.MeterConfig {
	list, err := tables.Multipart(openflow.V13, &openflow.MeterConfigRequest{Meter: openflow.MeterAll}, now)
	if err != nil {
		return nil
	}
	meters := slices.Clone(list.(*openflow.MeterConfigList).Meters)
	for i := range meters {
		meters[i].Bands = slices.Clone(meters[i].Bands)
	}
	return meters
}

// setContents finds what the groups and meters of the tables do, with the ports that there are, and which objects of the
// physical switch count for them: each has one of its own, so that no packets of others count there.
func (s making) setContents() {
	list, places := listedGroups(s.tables, s.now), make(map[objectName][]int)
	for i := range list {
		g := &list[i]
		var own []openflow.Bucket
		for k, b := range g.Buckets {
			if _, has := s.ports[b.WatchPort]; !has && b.WatchPort != openflow.PortAny {
				continue // as a bucket is whose port is down
			}
			if b.Actions = s.ports.outputs(b.Actions); !slices.ContainsFunc(b.Actions, sends) {
				b.Actions = nil // what has no port to go to is dropped, and a switch wants that said without other actions
			}
			own = append(own, b)
			if g.Kind != openflow.GroupTypeSelect || b.Weight != 0 {
				places[objectName{number: g.Group}] = append(places[objectName{number: g.Group}], k)
			}
		}
		g.Buckets = own
	}
	meters, c := listedMeters(s.tables, s.now), &s.contents
	c.groups, _ = object.ReadGroups(list)
	c.meters, _ = object.ReadMeters(meters)
	for _, name := range s.madeNames() {
		s.does(s.made[name], c.digest(name))
	}
	if s.cfg.Version != openflow.V10 { // there they are written into rules
		c.groups = object.OwnedGroups(c.groups, func(number uint32) uint64 { return s.owner(objectName{number: number}) })
	}
	for i := range meters {
		name := objectName{meter: true, number: meters[i].Meter}
		if m := c.meters[name.number]; m != nil {
			c.meters[name.number] = m.Owned(s.owner(name))
			places[name] = byRate(meters[i].Bands)
		}
	}
	for _, name := range s.madeNames() {
		o := s.made[name]
		o.count.stands(c.digest(name), places[name])
		s.noteCarried(o)
	}
}

// digest is that of what a group or a meter does; zero if there is no such content.
func (c *contents) digest(name objectName) (d object.Digest) {
	if g := c.groups[name.number]; g != nil && !name.meter {
		d = *g.Digest()
	}
	if m := c.meters[name.number]; m != nil && name.meter {
		d = *m.Digest()
	}
	return d
}

// byRate returns the places of bands in the order in which a meter has them.
func byRate(bands []openflow.Band) []int {
	places := make([]int, len(bands))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(bands[a].Rate, bands[b].Rate) })
	return places
}

// named makes instructions name groups and meters by their places in a list of contents, as ruleset.Use takes them. A
// group without content is left out: none of its buckets has a port.
func (c *contents) named(list []openflow.Instruction) (objects []object.Object) {
	place := func(o object.Object) uint32 {
		objects = append(objects, o)
		return uint32(len(objects) - 1)
	}
	for i := range list {
		in := &list[i]
		if in.Type == openflow.InstructionMeter {
			if m := c.meters[in.Meter]; m != nil {
				in.Meter = place(m)
			}
			continue
		}
		if !slices.ContainsFunc(in.Actions, isGroup) {
			continue
		}
		var own []openflow.Action
		for _, a := range in.Actions {
			g := c.groups[a.ID]
			switch {
			case !isGroup(a):
				own = append(own, a)
			case g != nil:
				own = append(own, openflow.Group(place(g)))
			}
		}
		in.Actions = own
	}
	return objects
}

// usesObject reports whether a row's entry uses a group or a meter.
func usesObject(r *row) bool {
	return slices.ContainsFunc(r.told.instructions, func(in openflow.Instruction) bool {
		return in.Type == openflow.InstructionMeter || slices.ContainsFunc(in.Actions, isGroup)
	})
}

// sends reports whether an action sends a packet somewhere.
func sends(a openflow.Action) bool { return a.Type == openflow.ActionOutput || isGroup(a) }

func isGroup(a openflow.Action) bool { return a.Type == openflow.ActionGroup }
