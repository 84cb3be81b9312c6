// Package ofcase makes cases for OpenFlow switches: random messages and frames that have much to do
// with each other, and what a switch did with them, in words that can be compared.
//
// # The problem
//
// Two switches that mean the same by OpenFlow do the same. To find out whether they do, both are
// given the same messages and the same frames, thousands of times, and what comes out must be
// equal: frames at ports, packet-ins, flow-removeds, port statuses, errors, statistics. Cases are
// worth their time only if rules overlap, frames meet rules, deletions find something; so all
// values come from small domains.
//
// # Inputs and outputs
//
// Generate makes a Case from a version and a seed. A Switch does its steps one by one; each step
// has an Outcome. Compare runs a case on two switches and says where they first differ; Shrink
// leaves steps out as long as they differ.
//
// # Invariants
//
//   - A case depends on nothing but its version, seed and Options.
//   - What a step holds is bytes as on the wire: switches share nothing through it.
//   - Outcomes that may differ by choice are made equal by a Mask, and by nothing else; each has a
//     name, under which the specification lists it with its reason.
package ofcase
