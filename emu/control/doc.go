// Package control operates a running emulated network: it injects and clears faults, has hosts
// send, captures, and runs schedules.
//
// # The problem
//
// A command line, requests over HTTP and a file of events ask the same things of a network; they
// give switches, links and hosts by name, and want the results of what they started.
//
// # Inputs and outputs
//
// Do does one topo.Action. Begin has a host send, and returns a Command, which reports. Capture
// writes a port or control channels to a file until it is stopped. Run runs the events of the
// schedule at their times; each is reported to Config.Note.
//
// # Invariants
//
//   - The network's own state is the only one: an Operator keeps commands and captures, and
//     nothing else.
//   - What it keeps is bounded: MaxCommands commands, of which the oldest that are done go first;
//     MaxCaptures captures.
//   - Close ends all captures, so that their files are complete.
package control
