// Package places has where hosts are, for those who forward packets to them.
//
// # The problem
//
// A packet-in asks where its host is, on any goroutine. A host whose port is gone is nowhere, until it is seen
// again; what led to its old place has to follow it then, so that the place is remembered.
//
// # Inputs and outputs
//
// In: changes of the view, on one goroutine (Take, Forget, Keep, ForgetSwitch). Out: where a host is (At), on any
// goroutine; where it was. PortsLeft compares two snapshots.
//
// # Invariants
//
//   - No host is at a port that its switch, which is known, does not have.
//   - A host is where it is, or in what is remembered of deleted ones, or in neither.
//   - What is remembered is bounded (MaxForgotten), and nothing of it is at a switch that was forgotten.
package places
