package nic

import (
	"time"

	"github.com/weirnet/weir/probe"
)

// ReadClocks reads the wall clock, which is that of software stamps, and the monotonic one as close
// to each other as a few tries give it.
func ReadClocks() (c probe.Clocks) {
	closest := time.Hour
	for range 8 {
		before := time.Now()
		wall := time.Now()
		if took := time.Since(before); took < closest {
			closest = took
			c = probe.Clocks{Wall: probe.Stamp(wall.UnixNano()), Monotonic: probe.Stamp(wall.Sub(epoch))}
		}
	}
	return c
}

// epoch is a moment of the monotonic clock.
var epoch = time.Now()
