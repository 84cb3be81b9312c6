// Package trace has the points of the ways that an instance handles something by, and tells who watches
// when one is passed.
//
// # The problem
//
// What is done of a packet-in, of a request or of a link that fails goes through many packages and some
// goroutines. That is read from the code with labour, and a document about it is wrong after the next change.
//
// # Inputs and outputs
//
// Who does a step of a way calls At with its Point. Watch has a function called at each of them, on the
// goroutine that passes it: from the goroutines, and their order, a test counts hand-offs and holds
// docs/ARCHITECTURE.md to what it says of the ways.
//
// # Invariants
//
//   - Without a watcher a point costs the load of one pointer, and allocates nothing.
//   - The watcher is one for the process: it is for tests and tools, and decides nothing.
package trace
