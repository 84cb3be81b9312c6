// Package spec is what an intent is: what somebody wants to be connected, in one form, as values, bytes and matches.
//
// # The problem
//
// The same wish reaches Weir as JSON, as protobuf, from a command and from its own store, and may be said in many ways:
// with masks that mean nothing, prerequisites left out, connect points in another order. Whether two are the same, and
// what packets they mean, must not depend on who reads them.
//
// # Inputs and outputs
//
// A Spec is made by the API. Check brings it into its one form and refuses, with an *Error that names the field, what
// cannot be served. Append and Parse are the durable form. Matches are the packets it means, leg by leg.
//
// # Invariants
//
//   - After Check, two specs mean the same exactly if Append gives the same bytes, but for those that are the same only
//     in a network where they meet (the two directions of a host-to-host intent, for one).
//   - Parse accepts only what Append writes of a checked spec: Parse(Append(s)) is s, and Append(Parse(b)) is b.
//   - Every match of Matches is canonical, has its prerequisites, and does not name the ingress port.
//   - A spec that takes the packets of others wherever its path leads says so (Wide); of one that fixes who sends by an IP address the network reports whether it
//     does (Source). wide.go defines it.
//
// The package is pure: no goroutine, no clock, no I/O.
package spec
