// Package southbound is an instance's side of its switches: who may connect, one record for each
// session, one queue of output, and the way of what switches say to those whom it concerns.
//
// # The problem
//
// Discovery, flowsync, the counters and every application want something of each session: to know
// that it began and ended, to see packets, to write, to hear which of their messages was refused.
// Wired one by one, each new one costs a change in many places, headers are parsed again by each, and
// an old session's part can be taken for a new one's. An error has nothing but a transaction id, so that
// each writer would keep a list of its own ids, and look at the errors of all.
//
// # Inputs and outputs
//
// A Registry is the handler of a session.Server that it makes. Join gives it the engines, which it
// knows by name, and applications, which it knows by the contract of App. What a switch says goes
// this way:
//
//   - A packet-in that a Claimer of the applications takes is nobody else's. Any other is parsed once.
//     Whoever of the applications is an Admitter may refuse it; discovery takes its own frames, and sees the
//     others; then the applications see it in the order in which they were given, until one consumes it.
//   - A flow-removed message goes to flowsync, and to every FlowRemovedHandler or RemovedFrameHandler.
//   - An answer, or an error about a question, goes to who asked (session.Session has these). Any other
//     error goes to the owner of the message that it refuses, with the number and the index that the owner
//     gave to that, or with the rule that it adds. One about nobody's message is counted (Unowned).
//   - At the end of a batch of input every BatchHandler is called, and what was written leaves.
//
// What is written to a switch goes through Outputs, one for each owner (flowsync, discovery, each
// application), which share one queue of the session: what they append leaves in the order of their
// calls, and messages that belong together in one write. FlowMod and PacketOut leave room in the queue
// for Send and SendFrames, by which flowsync sends batches of its own size.
//
// Connected and mastered are two things. SwitchUp means that a switch is connected: it is heard and
// asked. This instance may write to it if the view says that it is the master (SetMaster), and the switch
// has given it the role, in a term of the store (roles.go, docs/design/0016-terms.md); an Output refuses what
// this instance may not write with ErrNotMaster. A switch that makes another controller its master has none in
// the view until its session ends.
//
// An instance that stands by holds its sessions (Standby): it is a slave of their switches, and no engine and no application
// knows of them before it takes over.
//
// A Containment ends an application that panics in place of the instance. What is not contained is called
// directly. Calls notes which application a reader is in, and StallPart raises an alarm about one that
// does not return to it.
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
//   - What belongs to a session is in its Switch: what is written through an Output of an older epoch
//     reaches no later one's queue. Nothing is sent by datapath id. The engines know a session by its
//     epoch, and drop what is told them of an older one.
//   - An error reaches one owner at most, before the answer to a barrier behind the message.
//   - Nothing enters the queue of a switch that knows roles before it has made this instance its master.
//   - After SetMaster has named another nothing enters the queue of a switch; what was collected and
//     dropped is not confirmed.
//   - A packet-in, and writing a message, cost no allocation here.
package southbound
