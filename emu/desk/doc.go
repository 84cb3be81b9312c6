// Package desk operates a running emulated network: it makes and mends faults, has hosts send, captures, and does what a
// schedule says.
//
// # The problem
//
// The same things are asked of a network by a command line, by requests over HTTP and by a file of events; they name
// switches, links and hosts by their names, and want to know what became of what they began.
//
// # Inputs and outputs
//
// Do does one topo.Action. Begin has a host send, and returns a Command, which reports. Capture writes a port or control
// channels to a file until it is stopped. Run does what events say at their times; each is told to Config.Note.
//
// # Invariants
//
//   - The network's own state is the only one: the desk remembers commands and captures, and nothing else.
//   - What it keeps is bounded: MaxCommands commands, of which the oldest that are done go first; MaxCaptures captures.
//   - Close ends all captures, so that their files are whole.
package desk
