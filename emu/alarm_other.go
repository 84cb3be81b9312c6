//go:build !linux

package emu

import "time"

// alarmClock is not there on other systems than Linux: the runtime's timers have to do, and
// fidelity says how well.
type alarmClock struct{}

func newAlarmClock() *alarmClock { return nil }

func (*alarmClock) set(time.Duration) {}
func (*alarmClock) await() bool       { return false }
func (*alarmClock) close()            {}
