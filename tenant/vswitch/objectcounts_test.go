package vswitch

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// counted are a tenant's switch and an emulated one of the tenant's own, which get the same messages and packets.
type counted struct {
	*world
	g        *guest
	emulated *flowtable.Switch
	contents map[uint32]object.Object // of the physical switch, by number
	out      sink
}

func newCounted(t *testing.T, seed uint64) *counted {
	c := &counted{world: newWorld(t, seed, false, openflow.V13), contents: make(map[uint32]object.Object),
		emulated: flowtable.New(flowtable.Config{Tables: 3})}
	c.g = c.guests[len(c.guests)-1] // of all packets at its ports
	for _, p := range c.g.ports {
		c.emulated.AddPort(openflow.Port{Number: p, Name: fmt.Sprint(p)}, 0, &c.out)
	}
	return c
}

// both sends a message to both.
func (c *counted) both(m openflow.Message) {
	c.t.Helper()
	var err, other error
	switch m := m.(type) {
	case *openflow.FlowMod:
		if err = c.g.sw.FlowMod(openflow.V13, m, Origin{}, c.now, c.g); err == nil {
			other = c.emulated.FlowMod(openflow.V13, m, c.now, &c.out)
		}
	case *openflow.GroupMod:
		if err = c.g.sw.GroupMod(openflow.V13, m, Origin{}, c.now, c.g); err == nil {
			other = c.emulated.GroupMod(openflow.V13, m, c.now, &c.out)
		}
	case *openflow.MeterMod:
		if err = c.g.sw.MeterMod(openflow.V13, m, Origin{}, c.now, c.g); err == nil {
			other = c.emulated.MeterMod(openflow.V13, m, c.now, &c.out)
		}
	}
	if other != nil {
		c.t.Fatalf("the emulated switch refuses %v: %v", m, other)
	}
	c.drain()
}

// objects returns what the physical switch has counted.
func (c *counted) objects(k CounterKind) *Counters {
	at := make(map[uint32]ObjectCounted)
	switch l := c.ask(c.physical, k).(type) {
	case *openflow.GroupStatsList:
		for _, g := range l.Groups {
			at[g.Group] = ObjectCounted{Listed: true, Counts: flowtable.ObjectCounts{Packets: g.Packets, Bytes: g.Bytes,
				Parts: g.Buckets}, Age: time.Duration(g.DurationSec)*time.Second + time.Duration(g.DurationNsec)}
		}
	case *openflow.MeterStatsList:
		for _, m := range l.Meters {
			x := ObjectCounted{Listed: true, Counts: flowtable.ObjectCounts{Packets: m.PacketsIn, Bytes: m.BytesIn},
				Age: time.Duration(m.DurationSec)*time.Second + time.Duration(m.DurationNsec)}
			for _, b := range m.Bands {
				x.Counts.Parts = append(x.Counts.Parts, openflow.BucketCounter(b))
			}
			at[m.Meter] = x
		}
	}
	counters := &Counters{Kind: k, Asked: c.now, Answered: c.now}
	for number, x := range at {
		if o := c.contents[number]; o != nil {
			x.Digest = *o.Digest()
			counters.Objects = append(counters.Objects, x)
		}
	}
	return counters
}

func (c *counted) ask(s *flowtable.Switch, k CounterKind) openflow.ReplyBody {
	var body openflow.RequestBody = &openflow.GroupRequest{Group: openflow.GroupAll}
	if k == OfMeters {
		body = &openflow.MeterRequest{Meter: openflow.MeterAll}
	}
	reply, err := s.Multipart(openflow.V13, body, c.now)
	if err != nil {
		c.t.Fatal(err)
	}
	return reply
}

// count has the tenant's switch know what the physical one has counted.
func (c *counted) count() {
	c.now++
	for _, k := range []CounterKind{OfGroups, OfMeters} {
		Tally{c.g.sw}.Count(c.objects(k), c.now, c.g)
	}
}

// compare wants both to say the same.
func (c *counted) compare(what string) (packets uint64) {
	c.t.Helper()
	c.count()
	for _, k := range []CounterKind{OfGroups, OfMeters} {
		got, want := c.chosen(c.ask(c.g.sw.tables, k)), c.chosen(c.ask(c.emulated, k))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			c.t.Fatalf("%s: the tenant is shown %+v, an emulated switch shows %+v", what, got, want)
		}
		for name := range c.g.sw.made {
			if whole, parts := (Tally{c.g.sw}).Knows(kindOf(name), name.number, c.now); !whole || !parts {
				c.t.Fatalf("%s: of %v it is not known what it has counted", what, name)
			}
		}
		switch l := want.(type) {
		case *openflow.GroupStatsList:
			for _, g := range l.Groups {
				packets += g.Packets
			}
		case *openflow.MeterStatsList:
			for _, m := range l.Meters {
				for _, b := range m.Bands {
					packets += b.Packets
				}
			}
		}
	}
	return packets
}

// chosen adds up the buckets of groups that choose one of them by a hash, which is another one in each switch.
func (c *counted) chosen(reply openflow.ReplyBody) openflow.ReplyBody {
	l, is := reply.(*openflow.GroupStatsList)
	if !is {
		return reply
	}
	for _, d := range listedGroups(c.emulated, c.now) {
		for i := range l.Groups {
			if g := &l.Groups[i]; g.Group == d.Group && d.Kind == openflow.GroupTypeSelect {
				var sum openflow.BucketCounter
				for _, b := range g.Buckets {
					sum.Packets, sum.Bytes = sum.Packets+b.Packets, sum.Bytes+b.Bytes
				}
				g.Buckets = []openflow.BucketCounter{sum}
			}
		}
	}
	return l
}

// forget has the physical switch lose the groups and meters that nothing uses, as flowsync removes them.
func (c *counted) forget() {
	for unused := true; unused; {
		unused = false
		for _, g := range c.ask(c.physical, OfGroups).(*openflow.GroupStatsList).Groups {
			m := &openflow.GroupMod{Command: openflow.GroupDelete, Group: g.Group}
			if g.RefCount == 0 && c.physical.GroupMod(openflow.V13, m, c.now, &c.world.out) == nil {
				unused = true
				c.lost(g.Group)
			}
		}
	}
	for _, x := range c.ask(c.physical, OfMeters).(*openflow.MeterStatsList).Meters {
		if x.Flows == 0 {
			m := &openflow.MeterMod{Command: openflow.MeterDelete, Meter: x.Meter}
			if err := c.physical.MeterMod(openflow.V13, m, c.now, &c.world.out); err != nil {
				c.t.Fatal(err)
			}
			c.lost(x.Meter)
		}
	}
}

// lost has what had a number be made under another one when it is used again.
func (c *counted) lost(number uint32) {
	for key, n := range c.numbers {
		if n == number {
			delete(c.numbers, key)
			c.numbers[fmt.Sprint("lost ", number)] = number
		}
	}
	delete(c.contents, number)
}

// message is a random one that makes, changes, removes or uses groups and meters.
func (c *counted) message() openflow.Message {
	r := c.r
	bucket := func() openflow.Bucket {
		b := openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
			Actions: []openflow.Action{openflow.Output(c.g.ports[r.IntN(2)])}}
		if r.IntN(5) == 0 {
			b.Actions = []openflow.Action{openflow.Group(1)}
		}
		return b
	}
	switch n := r.IntN(12); {
	case n < 3:
		m := &openflow.GroupMod{Command: openflow.GroupModCommand(min(r.IntN(9)/4, 2)), Group: uint32(1 + r.IntN(3)),
			Kind: openflow.GroupType(r.IntN(4))}
		if m.Command == openflow.GroupDelete {
			m.Kind = 0
			return m
		}
		for range 1 + r.IntN(3) {
			b := bucket()
			switch m.Kind {
			case openflow.GroupTypeFastFailover:
				b.WatchPort = c.g.ports[r.IntN(2)]
			case openflow.GroupTypeSelect:
				b.Weight, b.Actions = uint16(r.IntN(3)), []openflow.Action{openflow.Output(c.g.ports[0])}
			}
			m.Buckets = append(m.Buckets, b)
		}
		return m
	case n < 5:
		m := &openflow.MeterMod{Command: openflow.MeterModCommand(min(r.IntN(9)/4, 2)), Meter: uint32(1 + r.IntN(2)),
			Flags: openflow.MeterFlagPktps}
		for _, rate := range r.Perm(3)[:1+r.IntN(2)] {
			m.Bands = append(m.Bands, openflow.Band{Type: openflow.BandDrop, Rate: uint32(1 + rate)})
		}
		return m
	}
	m := &openflow.FlowMod{Command: openflow.FlowModCommand(r.IntN(9) / 8 * 3), Table: uint8(r.IntN(2)),
		Priority: uint16(r.IntN(2)), Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	m.Flags = openflow.FlagCheckOverlap
	if r.IntN(2) == 0 {
		m.Match.SetUint(openflow.FieldInPort, uint64(c.g.ports[r.IntN(2)]))
	}
	do := openflow.Apply(openflow.Group(uint32(1+r.IntN(3))), openflow.Group(uint32(1+r.IntN(3))))
	if r.IntN(3) == 0 {
		do = openflow.Instruction{Type: openflow.InstructionWriteActions, Actions: do.Actions[:1]}
	}
	m.Instructions = []openflow.Instruction{do}
	if r.IntN(2) == 0 {
		m.Instructions = append(m.Instructions, openflow.UseMeter(uint32(1+r.IntN(2))))
	}
	if m.Table == 0 && r.IntN(2) == 0 {
		m.Instructions = append(m.Instructions, openflow.GotoTable(1))
	}
	return m
}

// togglePort takes the second port away, or brings it.
func (c *counted) togglePort() {
	p := openflow.Port{Number: c.g.ports[1], Name: fmt.Sprint(c.g.ports[1])}
	c.count()
	if len(c.g.sw.ports) == 2 {
		c.g.sw.RemovePort(p.Number, c.now, c.g)
		c.emulated.RemovePort(p.Number, c.now, &c.out)
	} else {
		c.g.sw.SetPort(p, c.now, c.g)
		c.emulated.AddPort(p, c.now, &c.out)
	}
	c.drain()
	for key, n := range c.numbers {
		c.known(key, n)
	}
}

// TestObjectsCount: whatever a tenant does to groups and meters, and others with theirs, they count what those of an emulated
// switch count, also after a restart.
func TestObjectsCount(t *testing.T) {
	var packets uint64
	restarts := 0
	for seed := range uint64(400) {
		c := newCounted(t, seed)
		for step := range 60 {
			c.now += 10 * time.Second // what a meter lets pass at once is full
			c.count()
			c.both(c.message())
			for key, n := range c.numbers {
				c.known(key, n)
			}
			if c.r.IntN(8) == 0 {
				c.togglePort()
			}
			for range c.r.IntN(8) {
				port, frame := c.g.ports[c.r.IntN(len(c.g.sw.ports))], c.frame()
				c.physical.Receive(port, frame, c.now, &c.world.out)
				c.emulated.Receive(port, frame, c.now, &c.out)
			}
			packets += c.compare(fmt.Sprintf("seed %d, step %d", seed, step))
			switch c.r.IntN(10) {
			case 0:
				c.restart(c.g)
				c.drain()
				restarts++
			case 1, 2:
				c.forget()
			}
		}
	}
	if packets < 10_000 || restarts < 500 {
		t.Errorf("%d packets counted, %d restarts: the test shows nothing", packets, restarts)
	}
}

// known notes the content of a number of the physical switch.
func (c *counted) known(key string, number uint32) {
	all := slices.Collect(maps.Values(c.g.sw.contents.meters))
	for _, m := range all {
		if m.Key() == key {
			c.contents[number] = m
		}
	}
	for _, g := range c.g.sw.contents.groups {
		if g.Key() == key {
			c.contents[number] = g
		}
	}
}

// TestUnknownObjects: before the physical switch was asked, long after, and where it does not say, it is not known what groups
// and meters have counted.
func TestUnknownObjects(t *testing.T) {
	c := newCounted(t, 1)
	knows := func(what string, wantWhole, wantParts bool) {
		t.Helper()
		whole, parts := Tally{c.g.sw}.Knows(OfGroups, 1, c.now)
		if whole != wantWhole || parts != wantParts {
			t.Errorf("%s: known %t, its buckets %t", what, whole, parts)
		}
	}
	knows("no group", false, false)
	m := &openflow.GroupMod{Group: 1, Buckets: []openflow.Bucket{{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
		Actions: []openflow.Action{openflow.Output(c.g.ports[0])}}}}
	c.both(m)
	knows("at first", false, false)
	c.count()
	knows("when it was asked", true, true)
	c.now += time.Hour
	knows("one that was there then", true, true)
	c.both(&openflow.GroupMod{Command: openflow.GroupDelete, Group: 1})
	c.both(m)
	knows("one that came long after", false, false)
	of := c.g.sw.contents.groups[1]
	say := func(x ObjectCounted) {
		c.now++
		x.Digest = *of.Digest()
		Tally{c.g.sw}.Count(&Counters{Kind: OfGroups, Asked: c.now, Objects: []ObjectCounted{x}}, c.now, c.g)
	}
	say(ObjectCounted{})
	knows("one that is not listed", false, false)
	say(ObjectCounted{Listed: true, Counts: flowtable.ObjectCounts{Packets: 3, Bytes: uncounted}})
	knows("one whose bytes nobody counts", false, false)
	say(ObjectCounted{Listed: true, Counts: flowtable.ObjectCounts{Packets: 3, Bytes: 7,
		Parts: []openflow.BucketCounter{{Packets: uncounted}}}})
	knows("one whose buckets nobody counts", true, false)
	say(ObjectCounted{Listed: true, Counts: flowtable.ObjectCounts{Packets: 3, Bytes: 7}})
	knows("one without its buckets", true, false)
	missed(c.g.sw.made)
	knows("one that a micro-flow goes around", false, false)
}

// TestObjectMadeAnew: a group that the physical switch has lost and made anew counts from 0 there, which its age says if its
// counters do not. One of which the answer has come late is none.
func TestObjectMadeAnew(t *testing.T) {
	c := newCounted(t, 1)
	c.both(&openflow.GroupMod{Group: 1, Buckets: []openflow.Bucket{{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
		Actions: []openflow.Action{openflow.Output(c.g.ports[0])}}}})
	of := *c.g.sw.contents.groups[1].Digest()
	c.now = 2 * time.Hour
	for _, x := range []struct {
		packets uint64
		began   time.Duration
		took    time.Duration // until the switch has looked, and answered
		want    uint64
	}{
		{5, time.Minute, 0, 5}, {7, time.Minute + beganSlack, 0, 7}, {9, time.Hour, 0, 16},
		{4, time.Hour, 0, 20}, {6, time.Hour - time.Minute, 0, 22},
		{7, time.Hour - time.Minute, 3 * time.Second, 23}, {8, time.Hour - time.Minute, 0, 24},
		{9, time.Hour - time.Minute, 0, 25}, {10, time.Hour, 3 * time.Second, 35},
	} {
		c.now += 4 * time.Second
		n := openflow.BucketCounter{Packets: x.packets, Bytes: 100 * x.packets}
		said := ObjectCounted{Digest: of, Listed: true, Age: c.now + x.took - x.began,
			Counts: flowtable.ObjectCounts{Packets: n.Packets, Bytes: n.Bytes, Parts: []openflow.BucketCounter{n}}}
		Tally{c.g.sw}.Count(&Counters{Kind: OfGroups, Asked: c.now, Answered: c.now + x.took, Objects: []ObjectCounted{said}},
			c.now+x.took, c.g)
		g := c.ask(c.g.sw.tables, OfGroups).(*openflow.GroupStatsList).Groups[0]
		if g.Packets != x.want || g.Bytes != 100*x.want || g.Buckets[0].Packets != x.want {
			t.Errorf("after %+v the group has counted %+v", x, g)
		}
	}
}
