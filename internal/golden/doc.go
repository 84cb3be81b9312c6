// Package golden runs conversations that are written as text: an input, then the output that it
// must give.
//
// # The problem
//
// A core (architecture: "cores decide, loops do") is best tested by whole conversations that a
// reader can follow. A file in testdata is a list of blocks:
//
//	# A comment stands before a block and is kept.
//	recv hello version=1.3
//	more input lines, up to the dashes
//	----
//	the output, up to an empty line
//
// The first word of a block is the command, the rest of its line the arguments. The test gives one
// function that does a command and returns its output. An output with empty lines in it is closed
// by a second line of dashes.
//
// # Rewriting
//
// With the flag -rewrite the files are written anew with the outputs that the function gave; read
// the difference before committing it.
package golden
