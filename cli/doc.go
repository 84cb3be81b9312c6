// Package cli is the command line: every subcommand of weir.
//
// # The problem
//
// Operators and their scripts start an instance, look at its network, and read OpenFlow bytes. Scripts need tables, JSON and
// exit codes that stay as they are; people need to be told what was wrong, what was expected and what to do.
//
// # Inputs and outputs
//
// Main takes arguments and streams and returns the exit code: 0 done; 2 wrong flags or configuration; 1 anything found at run
// time. An error is one line on standard error. Answers go to standard output and nothing else does.
//
// # Invariants
//
//   - No command writes to an instance's directory but node, and none to the network but through an instance; cert writes to the directory it is told.
//   - The columns of tables and the fields of JSON only ever grow at their ends.
package cli
