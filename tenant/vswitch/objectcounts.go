package vswitch

import (
	"slices"
	"time"

	"github.com/weirnet/weir/flowtable"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/ruleset/object"
)

// ObjectCounted is what a group of the physical switch has counted with its buckets, or a meter with its bands.
type ObjectCounted struct {
	Digest object.Digest
	Listed bool          // else the switch is known to have it, and did not list it
	Age    time.Duration // when the switch looked, which was when it was asked, or later
	Counts flowtable.ObjectCounts
}

// objectCounters is what a virtual switch knows of the counters of its groups, or of its meters.
type objectCounters struct {
	known bool          // some were read
	asked time.Duration // those that were read last
}

// objectCount is what is known of what a group or a meter has counted. Parts are its buckets or bands, as the tables have them.
type objectCount struct {
	of     object.Digest          // of the object of the physical switch that counts now; zero if there is none
	places []int                  // which part each of that one's parts is
	began  time.Duration          // when that was made at the latest, as was read last; 0: not known
	counts flowtable.ObjectCounts // of that one, as it was read last

	carried      flowtable.ObjectCounts // by objects of the physical switch before
	told         flowtable.ObjectCounts // to the tables, of it all
	from         time.Duration          // when it began to count
	lacking      bool                   // it was not among the counters read last, though it was there
	partsUnknown bool                   // the counters of its parts are not known
	missed       bool                   // packets have passed that it did not count
	unsaved      bool                   // carried has changed, and that is not noted
}

// missed notes that a micro-flow, which uses no groups, handles packets that go through some.
func missed(made map[objectName]*madeObject) {
	for name, o := range made {
		o.count.missed = o.count.missed || !name.meter
	}
}

// beganSlack is by how much later an object may seem to have been made than before, as clocks differ, and switches count seconds.
const beganSlack = time.Second

// partsAnew has the counters of parts begin anew.
func (c *objectCount) partsAnew() { c.carried.Parts, c.told.Parts, c.counts.Parts = nil, nil, nil }

// stands says which object of the physical switch counts from now on. What another one has counted since it was read last is
// not known.
func (c *objectCount) stands(of object.Digest, places []int) {
	if c.places = places; of != c.of {
		c.carry()
		c.of = of
	}
}

// carry keeps what an object of the physical switch has counted that counts no more.
func (c *objectCount) carry() {
	addCounts(&c.carried, &c.counts)
	c.unsaved = c.unsaved || c.counts.Packets > 0 || c.counts.Bytes > 0
	c.counts, c.began = flowtable.ObjectCounts{}, 0
}

// addCounts adds counters.
func addCounts(to, x *flowtable.ObjectCounts) {
	to.Packets, to.Bytes = to.Packets+x.Packets, to.Bytes+x.Bytes
	for i, p := range x.Parts {
		if i == len(to.Parts) {
			to.Parts = append(to.Parts, openflow.BucketCounter{})
		}
		to.Parts[i].Packets, to.Parts[i].Bytes = to.Parts[i].Packets+p.Packets, to.Parts[i].Bytes+p.Bytes
	}
}

// read takes what an answer says of the object that counts now. One that was made later than it can have been, or whose counters
// have gone back, is another one.
func (c *objectCount) read(x *ObjectCounted, answer *Counters) {
	c.lacking = !x.Listed || x.Counts.Packets == uncounted || x.Counts.Bytes == uncounted
	if c.lacking {
		return
	}
	earliest, latest := answer.Asked-x.Age, answer.Answered-x.Age
	if c.counts.Packets > x.Counts.Packets || c.counts.Bytes > x.Counts.Bytes || c.began != 0 && earliest-c.began > beganSlack {
		c.carry()
	}
	now := flowtable.ObjectCounts{Packets: x.Counts.Packets, Bytes: x.Counts.Bytes}
	c.partsUnknown = len(x.Counts.Parts) != len(c.places) ||
		slices.ContainsFunc(x.Counts.Parts, func(p openflow.BucketCounter) bool {
			return p.Packets == uncounted || p.Bytes == uncounted
		})
	for i, at := range c.places {
		for len(now.Parts) <= at {
			now.Parts = append(now.Parts, openflow.BucketCounter{})
		}
		if !c.partsUnknown {
			now.Parts[at] = x.Counts.Parts[i]
		}
	}
	c.counts, c.began = now, latest
}

// news returns what has been counted since the tables were told last.
func (c *objectCount) news() *flowtable.ObjectCounts {
	sum := flowtable.ObjectCounts{Parts: slices.Clone(c.carried.Parts)}
	sum.Packets, sum.Bytes = c.carried.Packets, c.carried.Bytes
	addCounts(&sum, &c.counts)
	news := &flowtable.ObjectCounts{Packets: sum.Packets - c.told.Packets, Bytes: sum.Bytes - c.told.Bytes,
		Parts: slices.Clone(sum.Parts)}
	for i, p := range c.told.Parts {
		if i < len(news.Parts) {
			news.Parts[i].Packets, news.Parts[i].Bytes = news.Parts[i].Packets-p.Packets, news.Parts[i].Bytes-p.Bytes
		}
	}
	c.told = sum
	return news
}

// countObjects takes counters of the physical switch's groups or meters.
func (s Tally) countObjects(c *Counters) {
	s.objectCounters[c.Kind] = objectCounters{known: true, asked: c.Asked}
	found := make(map[object.Digest]*ObjectCounted, len(c.Objects))
	for i := range c.Objects {
		found[c.Objects[i].Digest] = &c.Objects[i]
	}
	for name, o := range s.made {
		if kindOf(name) != c.Kind {
			continue
		}
		if x := found[o.count.of]; x != nil {
			o.count.read(x, c)
		} else { // it is in no rule's use, and counts nothing
			o.count.lacking = false
			o.count.carry()
		}
		s.publishObject(name, o)
		making(s).noteCarried(o)
	}
}

// noteCarried notes that the record of a group or a meter changes, if it does.
func (s making) noteCarried(o *madeObject) {
	if o.count.unsaved {
		s.unsaved.changed(o)
	}
	o.count.unsaved = false
}

// publishObject tells the tables what a group or a meter has counted since they were told last.
func (s Tally) publishObject(name objectName, o *madeObject) {
	tables := flowtable.Objects{Switch: s.tables}
	if news := o.count.news(); name.meter {
		tables.AddMeter(name.number, news)
	} else {
		tables.AddGroup(name.number, news)
	}
}

// restate tells the tables again what the parts of an object have counted, which these have forgotten.
func (s Tally) restate(name objectName) {
	if o := s.made[name]; o != nil {
		o.count.told.Parts = nil
		s.publishObject(name, o)
	}
}

// Knows reports whether it is known what a group or a meter of the tables has counted, and whether what its parts have.
func (s Tally) Knows(k CounterKind, number uint32, now time.Duration) (whole, parts bool) {
	name := objectName{k == OfMeters, number}
	c, o := &s.objectCounters[kindOf(name)], s.made[name]
	whole = o != nil && c.known && !o.count.missed && !o.count.lacking && (o.count.from < c.asked || now-c.asked <= recent)
	return whole, whole && !o.count.partsUnknown
}
