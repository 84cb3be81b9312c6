// Package api is the HTTP interface of an instance: what the network is, as JSON, as a stream of
// changes, and as metrics.
//
// # The problem
//
// People and programs read the view while the network changes under them. They want lists that do
// not change between two pages, to read what they know to have happened, changes without gaps after
// a broken connection, and answers only for those who may have them.
//
// # Inputs and outputs
//
// New takes a Config: the view, and as functions what the rest of the instance knows. The Server is
// an http.Handler; Serve runs it on a listener. The JSON is that of package client.
//
// Each noun has a resource: a type with what its routes need, and its routes (switches.go, hosts.go, drains.go, ...);
// routes.go is the list of them. They are served by a Stack of package rest, which asks who calls, bounds, records and
// describes them.
//
// # Invariants
//
//   - A list is read from one snapshot, and so are all its pages.
//   - What a request can cost is bounded by Limits: bytes, rows kept for paging, watchers, time.
//   - A watcher holds no place in any queue: it reads the view's log of changes at its own pace,
//     and one that is too slow for the log is told so (reset) and gets a snapshot. It slows nobody
//     else.
//   - Bad input is answered 4xx, with what was given, what was expected and what to do.
package api
