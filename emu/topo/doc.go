// Package topo describes which switches, links and hosts an emulated network has, and what happens
// to them when.
//
// # The problem
//
// A network is named in a word on a command line ("fattree:8,hosts=2"), written by hand (YAML), or
// taken from a collection of real ones (GraphML, as the Topology Zoo has them). Whoever runs it
// wants one model, complete and possible: every port has a number, every host has addresses, and
// nothing is named twice.
//
// # Inputs and outputs
//
// Parse reads a word and a seed, Load a word or a file, YAML or GraphML. The result is a Topology,
// which its users only read. ParseSchedule reads events that are to happen to
// a network; an Event describes one, and emu/control executes it.
//
// # Invariants
//
//   - Datapath ids, names, ids of links, and ports of a switch are unique; datapath ids are not 0.
//     Check says so of any Topology, and what a parser returns has passed it.
//   - The ports of a switch begin at 1: those of links first, in order of the links, those of hosts
//     after them. Files may give ports of their own.
//   - The same word and seed give the same network, always: figures are measured on them.
//   - Bad input is an error with its line, what was given, what was expected and an example.
//     Nothing is left out silently.
package topo
