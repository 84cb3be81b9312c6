// Package config is the configuration of a network and of its instances: its schema, and the store of what was
// applied.
// # The problem
// Operators configure what cannot be discovered: names, edge ports, capacities, allowed switches,
// timers, addresses. Mistakes must be found before anything changes, all at once, and reported with
// their lines; a change must affect only what it names; and an acknowledged change must survive a
// crash. Some of it is of the network, and the same for all instances on a store; some, such as addresses, is of one
// instance, and must not reach another.
// # Inputs and outputs
// Parse turns YAML into a Config, or into strictyaml.Problems. The schema is the type Config
// itself: tags of its fields give allowed values, the default, whose it is, and whether a restart is needed;
// Parse, Diff, Tree and the tables of docs/config.md are derived from it. Merge overlays one Config
// on another, Diff lists the differences, and Settings is the part that the network view uses.
// Split makes two texts of one, by scope, and Join one of two. Store keeps the network's, a State, in a store, and the
// instance's, a Part, in a file of its data directory.
// # Invariants
//   - A Config is complete: if anything is wrong with a file nothing of it is used.
//   - The zero value of a field means unset, so that another Config or the default applies.
//   - What Tree returns Parse reads as the same Config.
//   - What both texts of Split say together is what the one says, each what is of its scope.
//   - A State and a Part for which Save returned nil are what Load returns, whatever happens to the process or
//     the machine: never one of them with the other one of before. Damaged ones are rejected, never read in part.
package config
