package discovery

import (
	"errors"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/netview"
)

// refused raises the alarm for a frame that readers found to be no probe of ours, though it says that it is one.
func (c *Config) refused(at netview.Point, err error) {
	if c.Alarms != nil && errors.Is(err, ErrForged) {
		c.Alarms.Raise(netview.AlarmForgedProbe, at.String(), "a frame in the name of our probes, that we did not make, came in")
	}
}

// damper lets one alarm a second and port through: a flood of forged frames must not cost more than reading them. Two
// ports that share a slot share its second.
type damper struct {
	seed  maphash.Seed
	slots [1024]atomic.Int64 // the second of the last
}

func newDamper() *damper { return &damper{seed: maphash.MakeSeed()} }

// first is true for the first call in a second for a port.
func (d *damper) first(at netview.Point, now time.Time) bool {
	slot := &d.slots[maphash.Comparable(d.seed, at)%uint64(len(d.slots))]
	last, second := slot.Load(), now.Unix()
	return last != second && slot.CompareAndSwap(last, second)
}
