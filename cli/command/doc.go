// Package command has what the commands of weir share, so that all of them look alike to operators and
// scripts.
//
// # The problem
//
// A flag that means the same has to be named, explained and refused alike in every command, an answer
// has to be written in the same forms, and an error has to end the process with the same exit code.
//
// # Inputs and outputs
//
// Run runs one command of a tree and returns the exit code: 0 done; 1 any error at run time
// (RuntimeError, ExitError); 2 every other error, which is one of flags, arguments or configuration.
// An error is one line on standard error. The rest is for the commands: checks of arguments (args.go)
// and flags (flags.go, enum.go), the client of an instance's API (client.go), tables, JSON and YAML
// (output.go), reports of measurements (report.go), profiles of switches (profile.go), and which
// build this is (build.go).
//
// # Invariants
//
//   - Nothing that strangers named moves the cursor of a terminal or begins a row of a table.
//   - No command is defined here.
package command
