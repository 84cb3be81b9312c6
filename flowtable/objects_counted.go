package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// Objects is a Switch as who knows what its groups and meters have counted elsewhere sees it.
type Objects struct{ *Switch }

// ObjectCounts are counters of a group with those of its buckets, or of a meter with those of its bands.
type ObjectCounts struct {
	Packets, Bytes uint64
	Parts          []openflow.BucketCounter
}

// AddGroup adds to the counters of a group what has passed elsewhere. Those of buckets that it does not have are left out.
func (o Objects) AddGroup(id uint32, c *ObjectCounts) {
	if g := o.groups[id]; g != nil {
		g.packets, g.bytes = g.packets+c.Packets, g.bytes+c.Bytes
		for i := range min(len(g.buckets), len(c.Parts)) {
			b := &g.buckets[i]
			b.packets, b.bytes = b.packets+c.Parts[i].Packets, b.bytes+c.Parts[i].Bytes
		}
	}
}

// AddMeter is AddGroup of a meter with its bands.
func (o Objects) AddMeter(id uint32, c *ObjectCounts) {
	if m := o.meters[id]; m != nil {
		m.packets, m.bytes = m.packets+c.Packets, m.bytes+c.Bytes
		for i := range min(len(m.bands), len(c.Parts)) {
			b := &m.bands[i]
			b.packets, b.bytes = b.packets+c.Parts[i].Packets, b.bytes+c.Parts[i].Bytes
		}
	}
}

// SetGroupTime sets since when a group has been there, for an owner that makes groups which were there before.
func (o Objects) SetGroupTime(id uint32, created time.Duration) {
	if g := o.groups[id]; g != nil {
		g.created = created
	}
}

// SetMeterTime is SetGroupTime of a meter.
func (o Objects) SetMeterTime(id uint32, created time.Duration) {
	if m := o.meters[id]; m != nil {
		m.created = created
	}
}
