package vswitch

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// objectName is the number of a group or a meter.
type objectName struct {
	meter  bool
	number uint32
}

// madeObject is a group or a meter that the tables have; gone: had. The physical switch has it as one of its own
// (object.Owner), whose counters are those of this one.
type madeObject struct {
	record                       // if records are kept
	message     openflow.Message // which makes it
	gone        bool
	incarnation uint16 // another one when its buckets, or bands, begin to count anew, or it does something else
	does        object.Digest
	doesKnown   bool
	created     time.Duration
	count       objectCount
}

// making is a Switch as it makes, changes and loses groups and meters.
type making struct{ *Switch }

// Bits of the owner of a group or a meter, above its number.
const (
	ownerIncarnation = 32
	ownerTenant      = 48
)

// owner is whose the group or meter of a name is in the physical switch: nobody else has it.
func (s making) owner(name objectName) uint64 {
	return uint64(s.cfg.Tenant)<<ownerTenant | uint64(s.made[name].incarnation)<<ownerIncarnation | uint64(name.number)
}

// TenantOf returns the number of the tenant whose group or meter an object in a physical switch is; none's if it is nobody's, or
// that of Bandwidth.
func TenantOf(o object.Object) uint16 { return uint16(object.Owner(o) >> ownerTenant) }

// noteObjects notes which groups and meters the tables have. That of a name has been changed.
func (s making) noteObjects(changed objectName) {
	there := make(map[objectName]bool)
	groups := listedGroups(s.tables, s.now)
	for i := range groups {
		g, name := &groups[i], objectName{number: groups[i].Group}
		if there[name] = true; name == changed || s.made[name] == nil {
			s.noteObject(name, &openflow.GroupMod{Command: openflow.GroupAdd, Group: g.Group, Kind: g.Kind, Buckets: g.Buckets})
		}
	}
	meters := listedMeters(s.tables, s.now)
	for i := range meters {
		c, name := &meters[i], objectName{meter: true, number: meters[i].Meter}
		if there[name] = true; name == changed || s.made[name] == nil {
			s.noteObject(name, &openflow.MeterMod{Command: openflow.MeterAdd, Meter: c.Meter, Flags: c.Flags, Bands: c.Bands})
		}
	}
	for _, name := range s.madeNames() {
		if !there[name] {
			s.objectGone(name)
		}
	}
}

// noteObject notes a group or a meter that is new, or has been changed.
func (s making) noteObject(name objectName, message openflow.Message) {
	o := s.made[name]
	if o == nil {
		o = &madeObject{created: s.now, count: objectCount{from: s.now}}
		if s.unsaved.head != nil {
			o.number = s.cfg.Rows.take().number
		}
		s.made[name] = o
	}
	o.message, o.doesKnown = message, false
	o.count.partsAnew()
	s.reincarnate(o)
}

// reincarnate has the physical switch count for a group or a meter with an object that it has never had.
func (s making) reincarnate(o *madeObject) {
	s.incarnation++
	o.incarnation = s.incarnation
	s.unsaved.changed(o)
}

// does notes what a group or a meter does: with the ports that there are, it may be another thing than before.
func (s making) does(o *madeObject, what object.Digest) {
	if o.doesKnown && o.does != what {
		s.reincarnate(o)
	}
	o.does, o.doesKnown = what, true
}

// madeNames are the names of the groups and meters that there are, in a fixed order.
func (s making) madeNames() []objectName {
	return slices.SortedFunc(maps.Keys(s.made), func(a, b objectName) int {
		if a.meter != b.meter {
			return cmp.Compare(kindOf(a), kindOf(b))
		}
		return cmp.Compare(a.number, b.number)
	})
}

func kindOf(name objectName) CounterKind {
	if name.meter {
		return OfMeters
	}
	return OfGroups
}

// objectGone notes that a group or a meter is gone.
func (s making) objectGone(name objectName) {
	o := s.made[name]
	delete(s.made, name)
	if o.gone = true; s.unsaved.head != nil {
		s.unsaved.changed(o)
		s.unsaved.release(o)
	}
}
