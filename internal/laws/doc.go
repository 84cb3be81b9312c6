// Package laws holds the repository to its own rules, as tests.
//
// # The problem
//
// Rules that only stand in a document are broken by the next change. These are read from the
// source: the import table of docs/ARCHITECTURE.md, package and name comments, where goroutines and
// clocks may be, that no engine branches on a version of OpenFlow, how large packages and types may be,
// that nothing foreign is called under a lock, what a package may be called, which licences the binary may
// carry, and which programs the tests may start.
//
// # Inputs and outputs
//
// The working tree (not git's index), parsed once. A test prints one line for each place that
// breaks its law: file, line, and what to do.
package laws
