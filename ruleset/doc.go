// Package ruleset holds the firm rules that one owner wants on many switches, in the form from
// which they are derived.
//
// # The problem
//
// A path is the same few facts at each switch it passes: what it matches, the port in, the port
// out. Millions of rules that are kept as rows, each with a match and a list of instructions of its
// own, do not fit into the memory of a small machine, and making, comparing and hashing them takes
// longer than sending them to the switches.
//
// # Inputs and outputs
//
// A Set is one decision of an owner (an intent): legs, each a match and a Route. A Route is a list
// of hops, shared by all sets that take the same path; a hop is a switch, a port in and a Behaviour, which is
// what a rule does, made once for all hops that do the same. Groups and meters that a rule uses are named by content
// (package object), and get their numbers when the rule is rendered for a switch. A rule of a set is a number: it is
// rendered when it is sent (FlowMod) or shown (Rule), and other packages keep only that number. The owner
// gives an Order for each rule and gets its Outcome: intent gives them, flowsync carries them out.
//
// # Invariants
//
//   - Sets, routes and all their slices are immutable once they have been handed to anybody else.
//   - A rule matches its hop's port in, if that names one, so that no two rules of a route have the same match at
//     a switch, and no packet that comes by another port is taken.
//   - Two rules in one place (switch, table, priority, match) with equal behaviours do the same: the path
//     version in the cookie identifies the decision that wrote the rule, and makes no difference.
//   - Behaviours with equal keys do the same, and others do not, at every switch.
//
// The package is pure.
package ruleset
