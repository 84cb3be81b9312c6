// Package atomicfile replaces files whole or not at all.
//
// # The problem
//
// A process can be killed, and a machine can lose its power, between any two writes. A file that is
// overwritten may then be half old and half new; one that was renamed may have its name and not its
// contents, or the other way round.
//
// # Inputs and outputs
//
// Write replaces a file that one process writes. Create begins one that takes several writes, beside
// the path that Commit or CommitNew gives it.
//
// # Invariants
//
//   - Under the path there is what was there before, or all that was written. After a return without
//     error the latter survives a loss of power.
//   - Files are of mode 0600, unless their writer changes that.
package atomicfile
