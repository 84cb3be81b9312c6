// Package stamp measures the time between two machines with the Simple Two-way Active Measurement
// Protocol (STAMP, RFC 8762, with the session identifier of RFC 8972).
//
// # The problem
//
// The path latency that package probe finds rests on frames seen at both ends. A second way to find
// the same, with other means, shows whether to believe it: a sender's datagram comes back with the
// times at which the reflector received and sent it, so that the reflector's share can be taken
// off. Routers of several makers have such reflectors.
//
// # Inputs and outputs
//
// Request and Reply are the datagrams of the unauthenticated mode: AppendTo writes them, Parse reads
// them, and Reply.Sample, with the times at which the sender sent and received, is what comes of a
// round trip. Reflect makes the reply to a datagram, without state; a Budget bounds how many. A
// Session is a sender's: it counts what is no answer to its requests. Package probe/stamp/udp sends
// and receives.
//
// # Invariants
//
//   - A Sample's Path needs no clocks that agree: each of its differences is of one clock. Forward
//     and Backward do, and are right only as far as both clocks are.
//   - A reply is as long as its request, so that both ways carry the same (RFC 8762, section 4.3).
//   - Whatever comes, nothing panics, and nothing is answered that is shorter than a request: a
//     reflector never sends more than it received.
package stamp
