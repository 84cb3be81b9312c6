// Package northbound answers what the API asks of several engines at once: paths, comparisons, what
// depends on a switch that is to be forgotten, which groups and meters switches have, and what they say of themselves.
//
// # Inputs and outputs
//
// Answers implements api.PathFinder, api.SwitchAsker and api.Forgetter over Engines, which the
// composition root fills in before anything asks. RuleChecks is told of the rules that switches list.
//
// # Who owns what
//
// Methods may be called from any goroutine. They own nothing but the results of the comparisons that
// are in progress.
//
// # Invariants
//
//   - What is forgotten is withdrawn durably first, then the network is told.
//   - Nothing here decides for switches.
package northbound
