// Package southbound is an instance's side of its switches: who may connect, one record for each
// session, one queue of output, and the way of what switches say to those whom it concerns.
//
// # The problem
//
// Discovery, flowsync, the counters and every application want something of each session: to know
// that it began and ended, to see packets, to write, to hear which of their messages was refused.
// Wired one by one, each new one costs a change in many places, headers are parsed again by each, and
// an old session's part can be taken for a new one's.
//
// # Inputs and outputs
//
// A Registry is the handler of a session.Server that it makes. Join gives it the engines, which it
// knows by name, and applications, which it knows by the contract of App. What a switch says goes
// this way:
//
//   - A packet-in is parsed once. Whoever of the applications is an Admitter may refuse it; discovery
//     takes its own frames, and sees the others; then the applications see it in the order in which
//     they were given, until one consumes it.
//   - A flow-removed message goes to flowsync and to every FlowRemovedHandler. An error goes to
//     flowsync and to every ErrorHandler, with the rule that it refuses if Output wrote that one.
//   - At the end of a batch of input every BatchHandler is called, and what was written leaves.
//
// # Who owns what
//
// All calls of one session come from its reader, one at a time, and end with SwitchDown; a later
// session of the same switch begins after that, with an Epoch of its own. A Packet is valid during
// the call. Output may be used from any goroutine; what is written to one whose session has ended is
// lost, and its barriers say so.
//
// # Invariants
//
//   - What belongs to a session is in its Switch: what is written through the Output of an older epoch
//     reaches no later one's queue. What the Registry sends by datapath id (Send, PacketOut, Barrier,
//     Meters) goes to the present session.
//   - A packet-in costs no allocation here.
package southbound
