// Package numbered keeps values by small numbers that are used again: those of intents, of paths and of
// ports.
//
// # The problem
//
// There may be a million numbers, nearly all in use. A map takes twice the memory and a cache miss more;
// a slice copies everything as it grows, and takes the values from under who points at them.
//
// # Inputs and outputs
//
// A Table has an entry for each number that somebody asked for. Slots give out the numbers themselves.
//
// # Invariants
//
//   - An entry of a Table never moves.
//   - Slots give out no number twice before it is removed, and never 0.
//
// The package is pure. Each value has one owner at a time.
package numbered
