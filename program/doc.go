// Package program holds the firm rules that one owner wants on many switches, as what they are derived from.
//
// # The problem
//
// A path is the same few facts at each switch it passes: what it matches, the port in, the port out. Millions of rules
// that are kept as rows, each with a match and a list of instructions of its own, do not fit into the memory of a small
// machine, and making, comparing and hashing them takes longer than telling the switches.
//
// # Inputs and outputs
//
// A Program is one decision of an owner (an intent): legs, each a match and a Route; a Route is a list of hops, shared by
// all programs that take the same way. A rule of a program is a number: it is rendered when it is sent (FlowMod) or
// shown (Rule), and what is kept of it elsewhere is that number.
//
// # Invariants
//
//   - Programs, routes and all their slices are immutable once they have been handed to anybody else.
//   - Every rule matches its hop's port in, so that two rules of a route never have the same place at a switch, and no
//     packet that comes by another port is taken.
//   - Two rules in one place with the same outputs do the same: the path version in the cookie says which decision wrote
//     the rule, and is no difference.
//
// The package is pure.
package program
