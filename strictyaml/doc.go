// Package strictyaml reads YAML files that people write, and finds every mistake with its line.
//
// # The problem
//
// A configuration, or the file of a network, of a schedule or of a switch's behaviour is written by
// hand. A field that is spelled wrongly, given twice or has an impossible value must not be taken
// for something else, and the one who wrote it wants to know the line, what was given, what was
// expected, and an example; all mistakes at once, not one a run.
//
// # Inputs and outputs
//
// Open returns the one value of a file. A Document reads mappings by their Fields and lists item by
// item, and collects Problems; Into and Maybe make a Field of a variable and a parser of text, such
// as those that Time and Number return. A reader that walks a schema of its own (config does) uses
// Open, Given and Collector.
//
// # Invariants
//
//   - Nothing is ignored: an unknown field, an anchor, a second document are problems.
//   - Memory is bounded: that of a file by the limit given to Open, that of problems by MaxProblems.
package strictyaml
