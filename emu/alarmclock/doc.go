// Package alarmclock wakes a goroutine at a time, to some microseconds.
//
// # The problem
//
// Emulated switches promise times to which a millisecond is a lot. A timer of the runtime ends up to a millisecond late
// when the program sleeps, since it waits in epoll then, which counts milliseconds.
//
// # Inputs and outputs
//
// New makes a Clock, or nil where the system has none. Set says when Await returns; both may be called at the same time.
// Nothing is late because of the clock; that the machine has something else to do it cannot help.
package alarmclock
