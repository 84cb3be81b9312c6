// Package plan is the switch plan (docs/spec/switch-plan.md) as code: which numbers Weir writes
// into a switch, and how it knows its own writing again.
//
// # The problem
//
// A switch outlives the controller's process. Who finds an entry in it must be able to say whose it
// is, whether it is to be repaired or left to run out, and which of an owner's decisions it belongs
// to; and two owners must never choose the same number. Cookies say the first, bands of priorities
// and ranges of ids ensure the second.
//
// # Inputs and outputs
//
// Constants, and pure functions between them and the numbers on the wire. Every package that wants
// rules may use them: the package imports nothing but openflow's Version.
//
// # Invariants
//
//   - The page and this package say the same: plan_test.go reads the page's tables.
//   - A change here is a change of every switch in service.
package plan
