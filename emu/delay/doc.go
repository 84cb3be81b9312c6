// Package delay is when a switch of a profile does what it does: it turns the figures of a profile into times.
//
// # The problem
//
// A profile says what a switch takes for one frame, one flow, one request. What happens to the next depends on those
// before it: they share a rate, a flow's packets keep their order, the fragments of a packet are one packet, the answer
// of a controller ends a set-up that began with a packet-in. Somebody has to remember that, without a clock.
//
// # Inputs and outputs
//
// New makes the Model of one switch. Enter and Exit are around a frame's way through the tables; Departs says when a
// frame leaves by a port. PacketIn, Sent, Released and PacketOut are the way to a controller and back, Counters an
// answer with statistics. Every call is given a time and returns one: whoever calls sees to it that it is kept. Changes
// of entries come into force in batches, which package emu has (installer.go), since it owns what waits.
//
// # Invariants
//
//   - A Model decides only: no goroutine, clock or lock. The same seed and calls give the same times.
//   - No time that is returned is before the one that was given.
//   - Its memory is fixed: MaxPacketIns, the newest fragmented packets, the newest set-ups.
package delay
