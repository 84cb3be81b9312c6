// Package timerq orders what is due by its time.
//
// # The problem
//
// Every engine waits for many times at once and sleeps until the earliest. Some only add times and
// skip the ones that no longer count; others move or remove what they added. At equal times the
// order must be the same in every run.
//
// # Inputs and outputs
//
// In: values with a time. Out: the value whose time is the earliest, and that time. Queue takes
// times as numbers, of which the caller knows the origin; Times takes those of a clock.
//
// # Invariants
//
//   - Of equal times, the one that was added or moved first comes first.
//   - Adding, moving and removing cost the logarithm of the length; nothing is allocated but the
//     one slice.
//   - A queue has one owner; it starts no timer and no goroutine.
package timerq
