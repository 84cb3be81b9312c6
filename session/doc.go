// Package session implements one OpenFlow connection, either end, for controllers, hypervisors,
// emulated switches and load generators.
//
// # The problem
//
// Bytes arrive on a stream; messages must come out in their order, at millions a second where
// packets come to the controller, and at a few bytes of memory where thousands of switches are
// idle. A peer may be slow, dead, of another version, or hostile, and must harm no other session.
//
// # Inputs and outputs
//
// A Server accepts switches and gives each to a Handler; a Dialer connects emulated switches and
// gives each to a SwitchHandler. The handler is called on the session's reader, in the order of the
// wire, never concurrently for one session. A Session sends: Send, Reply, Request, Multipart,
// Barrier may be called from any goroutine and never block.
//
// # Who owns what
//
//   - core.go: the Core is the protocol: negotiation, handshake, echo, requests, roles, refusals.
//     It is pure: a Step has one input, since a message is a view of the reader's buffer, and the
//     time, and returns what to send, what to deliver, when to be called again. Its owner is the
//     session's reader; others reach it under the session's mutex to enter a request, never while a
//     handler runs. It reads messages (hello.go, receive.go, controller.go, switch.go); its parts have a file
//     each and do what follows: handshake, requests with their answers, echo, duplicate check, backlog, roles.
//     What is to be done all of them put into one outbox.
//   - reader.go, loop.go: the reader, one goroutine for each session, reads into one buffer that grows under
//     load, hands over whole messages (deliver.go), and at the end of a batch writes what was answered, itself
//     and without waiting. What is in its struct nobody else touches. A Session is what others may use.
//   - prompts.go: what others want of the reader. One ticker for a whole Server or Dialer wakes readers whose
//     deadline has passed (protocol.go).
//   - writer.go: who writes. The writer is a goroutine that exists while bytes are queued that the
//     reader did not write.
//   - registration.go: which session has a datapath id. A session has it from its features reply on;
//     when another one comes for the id, the first is checked (duplicate.go), and the other one is
//     admitted or refused when that has ended or answered. The server owns it, under its lock.
//   - halfopen.go, limit.go: the connections in their handshake, bounded; the group owns them,
//     under its lock.
//   - secure.go, wire.go: TLS under a session. The handshake is the first thing that the session's
//     reader does, within the time of the whole handshake; afterwards what is written is encrypted
//     into memory, and leaves as bytes without TLS do.
//   - output.go: the bounded queue of bytes, in the order in which they were appended, whoever
//     writes them.
//
// # Invariants
//
//   - Order: messages are delivered in the order of the wire; what is sent leaves in the order of
//     the calls.
//   - A message from the peer that is refused is answered with its OpenFlow error and the session
//     goes on, unless the framing is lost: a length below eight, or another version than agreed on.
//     A switch's end goes on after another version of OpenFlow, as Open vSwitch does.
//   - Each request is answered exactly once: by its reply, by a *PeerError, by ErrTimeout, or by an
//     error that wraps ErrClosed. Barriers are answered in the order of their requests.
//   - All memory is bounded by the limits of limits.go; what is dropped is counted (Stats). Incomplete
//     input is bounded for all peers of a server together (held.go).
//   - One session at a time has a datapath id; Disconnected of an older one comes before Connected
//     of a newer one.
//   - Auxiliary connections are refused with an error: all messages of a switch have one order.
//   - A slow peer slows only its own session: over the high-water mark of its queue it is no longer
//     read (or at least slowly: see Config.HighWater), and what does not fit into its queue is
//     refused with ErrFull.
package session
