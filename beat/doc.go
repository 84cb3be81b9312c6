// Package beat aligns periodic work to common ticks (timer coalescing).
//
// # The problem
//
// An idle instance has a dozen loops that check something ten times a second or less often, each
// started at its own time. Their cost is not the work but the wake-ups: each wakes the process,
// with a thread or two more that look for work, for a few microseconds.
//
// # Inputs and outputs
//
// Ticks are whole multiples of Every by the system's clock, so that all loops have the same. Phase,
// Wait and Next return the distance of a time from them. Setting the clock moves the ticks, and
// nothing else: waits are always durations. Sleep waits for one, or for the end of a context.
package beat
