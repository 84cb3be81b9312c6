// Package soak runs an instance and an emulated network for an hour, as two processes, under all
// that happens to networks at once, and holds what the instance takes of its machine to be flat.
//
// # The problem
//
// What grows by a megabyte an hour is seen by no test of seconds, and ends an instance after weeks.
// What is left behind by one lost session in a hundred is seen only after hundreds.
//
// # Inputs and outputs
//
// The test (build tag soak, `make soak`) runs for DURATION, an hour if none is given, with SEED. In
// turns, there is churn: intents are asked for and withdrawn, links cut and restored, switches lose
// their sessions, hosts ping; and in the first tenth the instance is killed now and then. Then
// there is rest, until everything is repaired. At rest, nothing may differ: all switches are
// connected, `weir check` agrees, and the intents are those that were acknowledged, all installed.
// Then is noted what the instance takes.
//
// # Invariants
//
//   - A request whose outcome is not known, because the instance was killed under it, may have been
//     done or not. No other may.
//   - A quantity is flat if, over the second half of the time, a straight line through what was
//     noted rises by no more than its bound, or by no more than twice the standard error of that.
//     Memory is judged in runs of an hour and more: before, logs of bounded length are not full.
package soak
