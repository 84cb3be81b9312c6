// Package rest serves routes over HTTP.
//
// # The problem
//
// An interface that other machines can reach has to ask who calls before anything happens, to bound what
// a request can cost, to leave a record of each change, and to describe itself. None of that is to depend on
// who writes a route remembering it.
//
// # Inputs and outputs
//
// A Stack takes Routes, each with a Handler: Typed, Described or Plain. It is an http.Handler; Serve runs it on a
// listener. From the routes it makes the router, the gate, the limits, the audit log's records, its metrics and,
// with the types of the handlers, /openapi.json. It knows nothing of networks: an instance and an emulator stand on it.
//
// # Invariants
//
//   - Every route but those that say Public needs a token: the Stack asks before any handler runs, so
//     a new route cannot forget it. Host and Origin are checked before that.
//   - Connections that have shown no valid token are closed first when there are too many.
//   - With an audit log nothing is changed without a record on the disk, and no secret is in one.
//   - Bad input is answered 4xx, with what was given, what was expected and what to do.
package rest
