// Package pairs has what unicast is forwarded by: pairs of hosts, the paths that they take, each once, and the
// cookies by which rules of a path are known again.
//
// # The problem
//
// There may be a million pairs. Each packet-in looks one up; a switch that reports a rule names a match and a
// cookie, perhaps one that an earlier run wrote.
//
// # Inputs and outputs
//
// A Pair is made of a packet's headers or of a rule's match. A Table has the Flow of each pair that enters the
// network at one switch. Paths makes a Path of hops, or finds it, and counts who holds it; it finds paths by
// number and by cookie, and makes the cookies.
//
// # Invariants
//
//   - A Path has one list of hops, and there is one with these, but for those that are dead and those that an
//     earlier run's cookies distinguish.
//   - A number is not given to another path while anybody holds this one: it is in the cookies of its rules.
//   - A Flow has no pointers: a Table of a million is nothing to the garbage collector.
//
// A Table has one owner at a time; Paths is for any goroutine.
package pairs
