//go:build !linux

package alarmclock

import "time"

// Clock is not there on other systems than Linux: the runtime's timers have to do, and fidelity says how well.
type Clock struct{}

// New is nil.
func New() *Clock { return nil }

// Set does nothing.
func (*Clock) Set(time.Duration) {}

// Await does not wait.
func (*Clock) Await() bool { return false }

// Close does nothing.
func (*Clock) Close() {}
