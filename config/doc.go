// Package config is the configuration of an instance: its schema, and the store of what was
// applied.
// # The problem
// Operators configure what cannot be discovered: names, edge ports, capacities, allowed switches,
// timers, addresses. Mistakes must be found before anything changes, all at once, and reported with
// their lines; a change must affect only what it names; and an acknowledged change must survive a
// crash.
// # Inputs and outputs
// Parse turns YAML into a Config, or into strictyaml.Problems. The schema is the type Config
// itself: tags of its fields give allowed values, the default, and whether a restart is needed;
// Parse, Diff, Tree and the tables of docs/config.md are derived from it. Merge overlays one Config
// on another, Diff lists the differences, and Settings is the part that the network view uses.
// Store keeps a State in a store.
// # Invariants
//   - A Config is complete: if anything is wrong with a file nothing of it is used.
//   - The zero value of a field means unset, so that another Config or the default applies.
//   - What Tree returns Parse reads as the same Config.
//   - A State for which Save returned nil is what Load returns, whatever happens to the process or
//     the machine; a damaged one is rejected, never read in part.
package config
