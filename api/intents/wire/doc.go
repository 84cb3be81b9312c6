// Package wire reads requests about intents, as JSON, lines of JSON and protobuf, and writes the
// answers to them.
//
// # The problem
//
// Hundreds of thousands of requests a second come through one connection, written by programs and
// by people. They are read strictly, so that nothing that was asked for is left out in silence,
// with errors that say what was given and what was expected, and at a cost that leaves the
// processor to what the requests are about.
//
// # Inputs and outputs
//
// A Batch takes requests one after the other (JSON.Line, JSON.Body, Message) and holds them as
// intent.Requests that have passed spec.Check, each with a slot for its place and, where it was
// refused, why. AppendJSON and AppendMessage write an Answer. The shapes are those of package
// client (JSON) and of intentpb (protobuf).
//
// # Invariants
//
//   - What is wrong with one request disturbs none before it, and, where the next one's beginning
//     is known, none after it.
//   - Fields that are not known, and fields that are not served yet, are refused by name.
//   - A Batch's memory is used again: nothing of it may be kept beyond Reset but ids, which are
//     strings of their own.
//   - Nothing is allocated for a request of the usual form.
//
// The package is pure: no goroutine, no clock, no I/O.
package wire
