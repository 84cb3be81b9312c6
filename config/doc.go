// Package config is the configuration of an instance: its one schema, and what keeps what was applied.
//
// # The problem
//
// Operators say in a file what cannot be found out: names, edge ports, capacities, who may connect, timers, addresses. A
// mistake must be found before anything changes, said with its line, and all mistakes at once; a change must touch what it
// names and nothing else; and what was acknowledged must be there after a crash.
//
// # Inputs and outputs
//
// Parse turns YAML into a Config, or into Problems with lines. The schema is the type Config itself: tags of its fields say
// what a value may be, its default, and whether it needs a restart; Parse, Diff, Text and the tables of docs/config.md are
// all made from it. Merge lays one Config over another, Diff says what differs, and Settings is what the network view takes.
// Store keeps a State in a store.
//
// # Invariants
//
//   - A Config is whole: if anything is wrong with a file nothing of it is used.
//   - The zero value of a field says nothing, so that another Config or the default holds.
//   - What Text writes Parse reads as the same Config.
//   - A State that Save returned nil for is what Load returns, whatever happens to the process or the machine; a damaged one is
//     refused, never read in part.
package config
