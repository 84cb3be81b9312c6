// Package sim runs an instance and its network in one goroutine, in time of its own, from one seed.
//
// # The problem
//
// What goes wrong in a network operating system goes wrong in an order of events that no test has
// thought of, and that does not come again when somebody looks. So all that decides is stepped
// here: the same engines, joined by the same wiring (node.Stepped), under the same sessions
// (session.Stepper); the same switches, links and hosts that package emu has (emu.Driver). What is
// left out are goroutines, sockets, files and the clock. Whoever runs when, and how long bytes
// take, is drawn at random, from the seed: so a failure comes again as often as one likes, on any
// machine.
//
// # Inputs and outputs
//
// A seed makes a Plan: a topology, and a history of events, such as links cut, switches without
// power, an instance killed. Run simulates it: two minutes and more of the network's life, in a second
// or so. When the history has ended everything is repaired, and the network has HealLimit to be whole
// again: then an inspector checks all that must hold (check.go). What comes out is an Outcome: the hash of
// every byte that the sessions were handed with its time, and what was found wrong.
//
// # Who owns what
//
//   - clock.go: time and the queue of what will happen; world.go, run.go: how it goes on.
//   - transcript.go: the hash, what is told, and what is wrong.
//   - network.go: the network as it is, whatever an instance knows of it.
//   - wires.go, wire.go: connections, and the bytes between switches and instance.
//   - instance.go: the machine, and an instance on it, from its start until it is killed; what it
//     remembers survives it. operator.go: what operators want of an instance.
//   - intents.go: intents, as who asks for them knows them, and whether they have what they should.
//     The store that they are kept in outlives every instance, and has its troubles.
//   - application.go: an application whose rules use groups and meters, and who harms these behind its back.
//   - station.go: hosts, and the sockets that they are plugged into.
//   - stream.go: histories in which nothing fails and places are drained, over long links: no
//     packet is lost or goes by the controller.
//   - cluster.go, member.go, handle.go: several instances, the wires between them, and the store that each has a member of;
//     clusterplan.go: what happens to them. referee.go: what switches may accept from whom. history.go: requests for intents at
//     whichever instance, and what was answered.
//   - plan.go, act.go: what happens. An event is one line of text, and can be left out: shrink.go
//     looks for the fewest that still fail.
//
// # Invariants
//
//   - Nothing is read that the seed does not determine: no clock, no map's order, no random numbers
//     of the system.
//   - Bytes of one connection arrive in order, and all of them until it is cut. Between connections
//     there is no order.
//   - Each connection, part and host draws random numbers from a source of its own, so that events left
//     out change little else.
package sim
