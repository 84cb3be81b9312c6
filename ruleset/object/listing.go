package object

import (
	"fmt"
	"strings"

	"github.com/weirnet/weir/openflow"
)

// ReadMeters makes contents of the meters that a switch lists, by number. other are those that no Meter is, with the
// reason: nobody of ours has written them.
func ReadMeters(list []openflow.MeterConfig) (meters map[uint32]*Meter, other map[uint32]error) {
	meters, other = make(map[uint32]*Meter, len(list)), make(map[uint32]error)
	for i := range list {
		if m, err := readMeter(&list[i]); err == nil {
			meters[list[i].Meter] = m
		} else {
			other[list[i].Meter] = err
		}
	}
	return meters, other
}

// readMeter makes a meter's content. Rates are in kbit/s unless OFPMF_PKTPS is set, and bursts do not count unless
// OFPMF_BURST is; Open vSwitch lists a burst of its own choice then.
func readMeter(c *openflow.MeterConfig) (*Meter, error) {
	unit, bands := KilobitsPerSecond, make([]openflow.Band, len(c.Bands))
	if c.Flags&openflow.MeterFlagPktps != 0 {
		unit = PacketsPerSecond
	}
	if unit == PacketsPerSecond && c.Flags&openflow.MeterFlagKbps != 0 {
		return nil, fmt.Errorf("flags %s: two units", c.Flags)
	}
	copy(bands, c.Bands)
	if c.Flags&openflow.MeterFlagBurst == 0 {
		for i := range bands {
			bands[i].Burst = 0
		}
	}
	return NewMeter(unit, bands...)
}

// ReadGroups makes contents of the groups that a switch lists, by number; of two with one number the last counts.
// other are those that no Group is, with the reason: nobody of ours has written them, or what they use. Groups that
// lead into a circle are among them.
func ReadGroups(list []openflow.GroupDesc) (groups map[uint32]*Group, other map[uint32]error) {
	r := reading{
		listed: make(map[uint32]*openflow.GroupDesc, len(list)), waits: make(map[uint32]int),
		users: make(map[uint32][]uint32), groups: make(map[uint32]*Group, len(list)), other: make(map[uint32]error),
	}
	for i := range list {
		r.listed[list[i].Group] = &list[i]
	}
	r.run()
	r.circles()
	return r.groups, r.other
}

// reading makes the contents of listed groups, each after those that it uses.
type reading struct {
	listed map[uint32]*openflow.GroupDesc
	waits  map[uint32]int      // by group: how many groups that it uses, one for each use, are not read
	users  map[uint32][]uint32 // by group: those that wait for it, once for each use
	groups map[uint32]*Group
	other  map[uint32]error
}

func (r *reading) run() {
	var ready []uint32
	for number, d := range r.listed {
		for used := range eachUse(d) {
			if r.listed[used] != nil {
				r.waits[number]++
				r.users[used] = append(r.users[used], number)
			}
		}
		if r.waits[number] == 0 {
			ready = append(ready, number)
		}
	}
	for len(ready) > 0 {
		number := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		if g, err := r.read(r.listed[number]); err == nil {
			r.groups[number] = g
		} else {
			r.other[number] = err
		}
		for _, user := range r.users[number] {
			if r.waits[user]--; r.waits[user] == 0 {
				ready = append(ready, user)
			}
		}
	}
}

// eachUse yields the numbers of the groups that a listed one uses, as often as it does.
func eachUse(d *openflow.GroupDesc) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for i := range d.Buckets {
			b := &d.Buckets[i]
			if watches(d) && b.WatchGroup != openflow.GroupAny && !yield(b.WatchGroup) {
				return
			}
			for k := range b.Actions {
				if b.Actions[k].Type == openflow.ActionGroup && !yield(b.Actions[k].ID) {
					return
				}
			}
		}
	}
}

// watches reports whether the buckets of a listed group may watch: in other types these fields mean nothing.
func watches(d *openflow.GroupDesc) bool {
	return d.Kind == openflow.GroupTypeFastFailover || d.Kind == openflow.GroupTypeSelect
}

// read makes a group of those that are read already.
func (r *reading) read(d *openflow.GroupDesc) (*Group, error) {
	buckets := make([]Bucket, len(d.Buckets))
	for i := range d.Buckets {
		from, b := &d.Buckets[i], &buckets[i]
		var err error
		if watches(d) {
			b.WatchPort = from.WatchPort
			if from.WatchGroup != openflow.GroupAny {
				if b.WatchGroup, err = r.used(from.WatchGroup); err != nil {
					return nil, err
				}
			}
		}
		if d.Kind == openflow.GroupTypeSelect {
			b.Weight = from.Weight
		}
		for k := range from.Actions {
			a := from.Actions[k]
			switch {
			case a.Type != openflow.ActionGroup:
				b.Actions = append(b.Actions, a)
			case b.Group != nil:
				return nil, fmt.Errorf("bucket %d sends to two groups", i)
			default:
				if b.Group, err = r.used(a.ID); err != nil {
					return nil, err
				}
			}
		}
	}
	return NewGroup(d.Kind, buckets...)
}

// used returns a group that another one uses.
func (r *reading) used(number uint32) (*Group, error) {
	if g := r.groups[number]; g != nil {
		return g, nil
	}
	if r.listed[number] == nil {
		return nil, fmt.Errorf("uses group %d, which the switch does not list", number)
	}
	return nil, fmt.Errorf("uses group %d, which is none of ours", number)
}

// circles names the groups that could not be read because they lead into a circle. Each has a next one that waits
// too, so that following these ends in a circle.
func (r *reading) circles() {
	next := make(map[uint32]uint32)
	for number, d := range r.listed {
		if r.waits[number] == 0 {
			continue
		}
		for used := range eachUse(d) {
			if r.waits[used] > 0 {
				next[number] = used
				break
			}
		}
	}
	for number := range next {
		var way []uint32
		place := make(map[uint32]int)
		for r.other[number] == nil {
			if at, been := place[number]; been {
				err := circleError(way[at:])
				for _, n := range way[at:] {
					r.other[n] = err
				}
				break
			}
			place[number] = len(way)
			way = append(way, number)
			number = next[number]
		}
		for _, n := range way {
			if r.other[n] == nil {
				r.other[n] = r.other[number]
			}
		}
	}
}

// circleError names the groups of a circle, from the least number on; of a long one the first.
func circleError(circle []uint32) error {
	least := 0
	for i := range circle {
		if circle[i] < circle[least] {
			least = i
		}
	}
	const most = 8
	var b strings.Builder
	for i := range min(len(circle), most) {
		fmt.Fprintf(&b, "%d, ", circle[(least+i)%len(circle)])
	}
	if len(circle) > most {
		fmt.Fprintf(&b, "%d others, ", len(circle)-most)
	}
	return fmt.Errorf("leads into a circle of groups that use each other: %s%d", b.String(), circle[least])
}
