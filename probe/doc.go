// Package probe measures what a path does to packets from what its two ends see of them.
//
// # The problem
//
// The latency of a switch is the difference of two times, taken at two places. Clocks of two places
// do not agree, and what takes the times takes time itself. The asynchronous latency technique needs
// no clocks that agree: with a request and its reply seen at both ends, Δ1 is the time from the
// request's leaving A to the reply's coming back to A, Δ2 that from the request's coming to B to the
// reply's leaving B, and Δ1 − Δ2 is what both ways took. Each difference is of one clock.
//
// # Inputs and outputs
//
// In: frames as an interface saw them, with their times (Assembler.Add). An Assembler puts fragments
// together to Passages: which Packet passed an interface, when, and which way. Pair finds the
// passages of the same packets at the other end: a Way, with what was lost, doubled, reordered or
// cut. Echoes pairs the ways there and back. Out: samples of each technique, of streams their
// jitter and loss (Flow), and of a cable in place of the switch the probe's own Share, which is
// taken off.
//
// A measurement that cannot be believed ends with a Refusal, which says what was seen, what was
// expected and what to do.
//
// # Who owns what
//
// Nothing here starts a goroutine or reads a clock. An Assembler has one owner.
//
// # Invariants
//
//   - A packet counts only where all of it was seen: from the first of its fragments that left to
//     the last one that came, in whatever order.
//   - What is not paired is counted, never left out.
//   - Memory is bounded by the number of packets seen; that of unfinished ones by maxUnfinished.
package probe
