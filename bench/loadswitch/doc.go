// Package loadswitch emulates small switches that load a controller.
//
// # The problem
//
// A controller is measured with switches that are many, cheap, and never its bottleneck, and that
// are nevertheless switches to it: they connect, describe themselves, hold the entries they were
// given, answer for them, and pass discovery frames on to each other, so that the controller finds
// the links.
//
// # Inputs and outputs
//
// A topology (package topo) says which switches and links there are. A Network is the switches of
// one: Connect takes them to a controller, Announce has hosts speak, Switch.PacketIn sends a packet
// to the controller. A Tap, if there is one, sees every modification and packet-out as bytes before
// the switch does: a load generator takes there what it has asked for.
//
// # What a switch does, and what it does not
//
// It does the handshake, roles, barriers, echo and configuration (by package session); flow-mods of
// all five commands, with their filters by cookie, port and match, and flow-removed for entries
// deleted; meters, as configuration only; the statistics of flows, sums, tables and ports;
// packet-outs to ports. Of what arrives over a link it looks at discovery frames only: one goes to
// the controller if the switch has an entry for LLDP, or no entry at all. It forwards nothing else,
// and its entries' time-outs do not run. Groups, queues and overlap checks are absent and refused.
//
// What flow-mods mean is package flowtable's to say: tests hold the switches to it. They do not run
// on it, nor their index on package hashtab: docs/benchmarks/loadswitch.md has what that would cost.
//
// # Who owns what
//
// A switch's entries are changed on its session's reader, under its lock, since other goroutines
// may count them. loop.go connects. There is one goroutine a switch, the session's reader.
package loadswitch
