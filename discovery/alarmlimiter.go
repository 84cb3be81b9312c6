package discovery

import (
	"errors"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/discovery/probes"
	"github.com/weirnet/weir/netview"
)

// raiseForged raises the alarm for a frame that claims to be a probe of ours and is not.
func (c *Config) raiseForged(at netview.Point, err error) {
	if c.Alarms != nil && errors.Is(err, probes.ErrForged) {
		c.Alarms.Raise(netview.AlarmForgedProbe, at.String(), "a frame in the name of our probes, that we did not make, came in")
	}
}

// alarmLimiter lets one alarm a second and port through: a flood of forged frames must not cost
// more than parsing them. Two ports that share a slot share its second.
type alarmLimiter struct {
	seed  maphash.Seed
	slots [1024]atomic.Int64 // second of the last alarm
}

func newAlarmLimiter() *alarmLimiter { return &alarmLimiter{seed: maphash.MakeSeed()} }

// first reports whether a call is the first in its second for a port.
func (d *alarmLimiter) first(at netview.Point, now time.Time) bool {
	slot := &d.slots[maphash.Comparable(d.seed, at)%uint64(len(d.slots))]
	last, second := slot.Load(), now.Unix()
	return last != second && slot.CompareAndSwap(last, second)
}
