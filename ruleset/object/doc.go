// Package object has the groups and meters that rules use, as contents.
//
// # The problem
//
// A group or a meter of a switch has a number and no cookie. Owners of rules do not know which numbers are free at a
// switch, and a controller that starts finds numbers whose meaning it has forgotten. So rules name groups and meters
// by content; a number is given out for each switch, and content says which number it already has there.
//
// # Inputs and outputs
//
// NewMeter and NewGroup make contents and refuse those that no switch takes. Message writes one under a number,
// ReadMeters and ReadGroups make contents of what a switch lists, and Switch.Takes says what a switch cannot do.
// OpenFlow 1.0 has neither: there a fast failover group that only outputs is an action of Nicira's (Bundle).
//
// # Invariants
//
//   - Objects are immutable, and checked when they are made.
//   - Two objects of one kind, groups of one type, have equal keys exactly if a switch does the same for both, and the same
//     owner has them (Meter.Owned, OwnedGroups). What a switch lists has the key of what was written, in whatever of the many
//     equal forms it lists it, but for the owner, whom it does not know.
//   - A group holds the groups that it uses, so no circle of groups can be made, and a group comes after all that it
//     uses (InOrder).
//
// The package is pure.
package object
