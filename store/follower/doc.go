// Package follower keeps what a program knows of a part of the store up to date, while others write there.
//
// # The problem
//
// A watch ends when the store is away for long, or has forgotten what would have to be told. Then all has to be read again
// before it is watched again, and nothing may be missed between the two.
//
// # Inputs and outputs
//
// Run reads by the caller's function, which says of which moment that is, and hands over what changes after it.
//
// # Invariants
//
//   - Every change after the moment is handed over, in order, or all is read again.
package follower
