// Package api is the REST interface of an emulated network: what there is and what it counts, as
// JSON; faults, hosts that send, captures and schedules by request.
//
// # The problem
//
// Tests and people break a network while a controller of anybody's runs it, and want to know what
// came of it, in a language of their choice.
//
// # Inputs and outputs
//
// New takes a Config with the Operator of a network; the Server is an http.Handler, and Serve runs
// it on a listener. Each resource has a file with its routes, which /openapi.json describes. Times are text with a
// unit ("5ms"), rates are text ("100M", bits a second, or "none"), what was measured is a number of
// microseconds.
//
// # Invariants
//
//   - Who may call, and what a request can cost, is decided by rest.Stack, as for the interface of an
//     instance: a token, or loopback only.
//   - A request that changes something changes all that it names or nothing, except where it names
//     several faults of one switch.
//   - A request cannot write outside of the folder of captures, nor over a file.
package api
