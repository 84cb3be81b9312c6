// Package spec defines an intent: the connection that a user requests, in one canonical form, as
// values, bytes and matches.
//
// # The problem
//
// The same request reaches Weir as JSON, as protobuf, from a command and from its own store, and
// has many spellings: masks without effect, omitted prerequisites, connect points in another order.
// Whether two are equal, and which packets they match, must not depend on the reader.
//
// # Inputs and outputs
//
// A Spec is made by the API. Check canonicalises it and rejects, with an *Error that names the
// field, what cannot be served. Append and Parse are the durable form. Matches returns the packets,
// leg by leg.
//
// # Invariants
//
//   - After Check, two specs mean the same exactly if Append gives the same bytes, except for
//     differences that depend on the network (the two directions of a host-to-host intent, for one).
//   - Parse accepts only what Append writes of a checked spec: Parse(Append(s)) is s, and
//     Append(Parse(b)) is b.
//   - Every match of Matches is canonical, has its prerequisites, and does not name the ingress
//     port.
//   - A spec that matches packets of other senders on any path is Wide after Check; for one that fixes the
//     sender by an IP address the network decides (Source). See wide.go.
//
// The package is pure: no goroutine, no clock, no I/O.
package spec
