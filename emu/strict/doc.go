// Package strict reads YAML files that people write, field by field, and finds every mistake with its line.
//
// # The problem
//
// A file of a network, of a schedule or of a switch's behaviour is written by hand. A field that is spelled wrongly, given twice or
// has an impossible value must not be taken for something else, and the one who wrote it wants to know the line, what was given,
// what was expected, and an example; all mistakes at once, not one a run.
//
// # Inputs and outputs
//
// Open returns the one value of a file. A Document reads mappings by their Fields and lists item by item, and collects Problems;
// Text, Into and Maybe make the reader of a Field of a parser of text, such as Time, Number and Rate.
//
// # Invariants
//
//   - Nothing is ignored: an unknown field, an anchor, a second document are problems.
//   - Memory is bounded by MaxBytes; the list of problems by MaxProblems.
package strict
