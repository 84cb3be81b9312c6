// Package cli is the command line: every subcommand of weir.
//
// # The problem
//
// Operators and their scripts start an instance, look at its network, and decode OpenFlow bytes.
// Scripts need JSON and exit codes that stay as they are; people need errors that tell what was
// given, what was expected and what to do.
//
// # Inputs and outputs
//
// Main takes arguments and streams and returns the exit code: 0 done; 2 wrong flags or
// configuration; 1 any error at run time. An error is one line on standard error. Standard
// output has answers only. The commands of weir bench and weir probe are in packages below, and what
// all commands share is in command.
//
// # Invariants
//
//   - No command writes to an instance's directory but node, and none to the network but through an
//     instance; cert writes to the directory it is told.
//   - Fields of JSON are added and never renamed. Tables are for people: switches by name, ids with
//     -o wide.
package cli
