// Package emu is emulated OpenFlow networks: thousands of switches, the links between them and
// hosts at their edge, in one process, in real time, without root.
//
// # The problem
//
// A controller is built and tested against networks that nobody has at hand, and that Linux's
// bridges and namespaces provide only in dozens, slowly and as root. What is wanted are switches
// that mean exactly what OpenFlow says, connected as real ones are, on links that are slow, lossy,
// full and cut as wished, many, and cheap.
//
// # Inputs and outputs
//
// A Config names a topology (package emu/topo), the controllers, and how the switches' tables are
// made. New makes the Network, Start runs it, Close ends it. Switches, Links and Hosts are handles:
// by them links are changed and cut, switches lose their power or misbehave, connections to
// controllers are cut, stalled or slowed, frames and control channels captured, hosts made to
// speak. Totals says at any time what happened.
//
// A switch is package flowtable, and one session (package session) with each controller that has
// its own role, its own asynchronous messages and its own miss_send_len: so a network is also the
// referee of who may write.
//
// # A frame's way
//
//	host.go: hostOutput.Send            attachment.go: Attachment.Send
//	          └──────────────┬────────────────────────┘
//	┌────────────────────────▼───────────────────────────────────────────────────────────────────────┐
//	│ simplex.go  begin: there is room; admit: the rate and its queue, loss, delay, jitter           │ sender's lock
//	│ buffer.go   copyOf: one copy a link                                                            │
//	│ engine.go   send: arrive, or away ─ flush ─▶ inbox of another engine ─ drainInbox ─▶ arrive    │
//	│ engine.go   arrive: in the order of sending; await: in flight, the link's timer is set         │ receiver's engine
//	│ simplex.go  wake: its time has come ─▶ run                                                     │
//	│ engine.go   deliver: lost if the link was cut meanwhile, else receiver.receive                 │
//	└──┬────────────────────────┬──────────────────────────┬─────────────────────────────────────────┘
//	   ▼                        ▼                          ▼
//	host.go:                 attachment.go:             port.go: receive
//	Host.receive             External.Deliver           switch.go: process, under the switch's lock
//	the stack answers,                                    Model.Enter, if the switch has a profile
//	by Send as above                                      the tables (package flowtable), which call output.go:
//	                                                        Transmit: Model.Departs ─▶ begin of the next link
//	                                                        PacketIn ─▶ control.go ─▶ conn.go ─▶ session
//
// What is lost on the way is counted where it is lost (counts.go).
//
// # Who owns what
//
//   - engine.go: an engine owns the frames in flight to its share of the switches and hosts, and
//     the timers of these. It is a pure core, stepped with the time; loop.go runs it in real time.
//     Switches with neighbouring numbers have the same engine. What comes from outside, from
//     another engine or from a session's reader, goes through its inbox.
//   - switch.go: a switch has a data side (datapath.go: the tables, when entries run out; port.go; behaviour.go: what
//     package delay says of a profile) and a control side (control.go: a channel to each controller, the
//     connections that stand). Both, and the beginnings of its links, are under the switch's lock: its
//     engine takes it for each frame, the readers of its sessions for each message. A host has such
//     a lock too. Nobody waits under them.
//   - attempts.go: connections that are being made, a bounded number at a time. channel.go: the attempt of one
//     switch to be connected to one controller; conn.go: a connection
//     that stands; wire.go: its bytes, where faults are made. A switch costs one goroutine a
//     connection, its session's reader, and no timer while it is idle.
//   - attachment.go: a port whose link leads out of the network, to whoever takes frames and gives
//     them.
//   - link.go: a link is up when it is not cut, both its ends have power, and neither port is
//     broken or switched off. Both ends see the carrier at once, and frames in flight are lost.
//
// # Invariants
//
//   - A frame that was given to a link arrives at most once, in order, or is counted as lost, by
//     cause.
//   - Memory is bounded, whatever the network does with its frames: MaxOnLink, MaxFrames, the
//     queues of sessions.
//   - A storm of frames holds up no control message for longer than a round of frames.
//   - All randomness is seeded: each link, host and switch has its own.
package emu
