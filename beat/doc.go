// Package beat has everything periodic happen at the same times.
//
// # The problem
//
// An instance at rest has a dozen loops that look at something ten times a second or more seldom, each begun at a time of its own. What that costs
// is not their work but the wake-ups: each takes the process from rest, with a thread or two more to look for work, for a few microseconds of it.
//
// # Inputs and outputs
//
// Beats are whole multiples of Every by the system's clock, so that all who count them have the same. Phase, Wait and Next say how far a time is from
// them. Whoever sets the clock moves the beats, and nothing else: what is waited for is always a duration.
package beat
