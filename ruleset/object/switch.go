package object

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// Switch is what is known of the groups and meters that a switch can have.
type Switch struct {
	Version openflow.Version
	Groups  *openflow.GroupFeatures // nil if not known
	Meters  *openflow.MeterFeatures // nil if not known
}

// Numbered reports whether the switch has groups and meters, with numbers: OpenFlow 1.0 has none.
func (s *Switch) Numbered() bool { return s.Version >= openflow.V13 }

// Takes returns nil if nothing speaks against an object at the switch, and else why it cannot be there. held is how
// many meters, or groups of its type, the switch has without it. What a group uses is asked for by itself. A group that
// OpenFlow 1.0 takes has no number there: it is written in rules (Group.Bundle).
func (s *Switch) Takes(o Object, held int) error {
	switch o := o.(type) {
	case *Meter:
		if s.Version == openflow.V10 {
			return fmt.Errorf("%s: OpenFlow 1.0 has no meters; %s, or leave the meter out", o, use13)
		}
		return takesMeter(s.Meters, o, held)
	case *Group:
		if s.Version == openflow.V10 {
			_, err := o.Bundle()
			return err
		}
		return takesGroup(s.Groups, o, held)
	}
	panic("object: neither meter nor group")
}

func takesMeter(f *openflow.MeterFeatures, m *Meter, held int) error {
	if f == nil {
		return nil
	}
	if f.MaxMeters == 0 {
		return fmt.Errorf("%s: the switch has no meters; leave the meter out", m)
	}
	if uint64(held) >= uint64(f.MaxMeters) {
		return fmt.Errorf("%s: the switch has %d meters and takes at most %d; remove one", m, held, f.MaxMeters)
	}
	if n := len(m.bands); f.MaxBands != 0 && n > int(f.MaxBands) {
		return fmt.Errorf("%s: %d bands, and the switch takes at most %d; use fewer", m, n, f.MaxBands)
	}
	for i := range m.bands {
		if t := m.bands[i].Type; f.BandTypes != 0 && f.BandTypes>>t&1 == 0 {
			return fmt.Errorf("%s: the switch has no bands of type %s; use another type", m, t)
		}
	}
	if missing := uint32(m.flags()) &^ f.Capabilities; f.Capabilities != 0 && missing != 0 {
		return fmt.Errorf("%s: the switch's meters lack %s; use another unit, or no burst", m, openflow.MeterFlags(missing))
	}
	return nil
}

func takesGroup(f *openflow.GroupFeatures, g *Group, held int) error {
	if f == nil {
		return nil
	}
	if f.Types>>g.kind&1 == 0 {
		return fmt.Errorf("group of type %s: the switch has none of this type; use another type, or rules without a group", g.kind)
	}
	if most := f.MaxGroups[g.kind]; most != 0 && uint64(held) >= uint64(most) {
		return fmt.Errorf("group of type %s: the switch has %d of this type and takes at most %d; remove one", g.kind, held, most)
	}
	for i := range g.buckets {
		if err := takesBucket(f, g, &g.buckets[i]); err != nil {
			return fmt.Errorf("group of type %s: bucket %d, %s: %w", g.kind, i, &g.buckets[i], err)
		}
	}
	return nil
}

func takesBucket(f *openflow.GroupFeatures, g *Group, k *Bucket) error {
	lacks := func(capability uint32) bool { return f.Capabilities&capability == 0 }
	watches := k.WatchPort != 0 || k.WatchGroup != nil
	switch {
	case (k.Group != nil || k.WatchGroup != nil) && lacks(openflow.GroupCapabilityChaining):
		return fmt.Errorf("the switch's groups do not use other groups; write the outputs into this one")
	case g.kind == openflow.GroupTypeSelect && k.Weight != g.buckets[0].Weight && lacks(openflow.GroupCapabilitySelectWeight):
		return fmt.Errorf("the switch's groups have no weights; give all buckets the same")
	case g.kind == openflow.GroupTypeSelect && watches && lacks(openflow.GroupCapabilitySelectLiveness):
		return fmt.Errorf("the switch's groups of type select do not watch; watch nothing, or use fast failover")
	}
	actions := f.Actions[g.kind]
	if actions == 0 { // not told
		return nil
	}
	for i := range k.Actions {
		if t := k.Actions[i].Type; actions>>t&1 == 0 {
			return fmt.Errorf("the switch does not do %s in groups of this type; do it in a rule", t)
		}
	}
	if k.Group != nil && actions>>openflow.ActionGroup&1 == 0 {
		return fmt.Errorf("the switch does not do %s in groups of this type; write the outputs into this one", openflow.ActionGroup)
	}
	return nil
}
