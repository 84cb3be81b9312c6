// Package paper is the measuring campaign of the paper on the asynchronous latency technique: which
// points it has, what has been measured of them so far, and the paper's figures beside ours.
//
// # The problem
//
// The campaign takes more than a day, and compares two test beds that are measured days apart on
// machines that do other things too. So each run is kept as soon as it is over, a campaign that was
// interrupted goes on where it was, and what was measured under other conditions is not mixed with it.
//
// # Inputs and outputs
//
// Parameters say what is measured; Plan is the list of points that follows from them. A Store keeps
// results in a directory, Run measures what is not there yet, Reports and WriteCSV show what is.
// Compare puts two stores beside each other and beside the paper.
//
// # Invariants
//
//   - A point has as many runs as its plan wants, or a refusal, or is not over.
//   - What Decode returns fits its plan: no point twice, no run too many, each figure drawable.
//   - A store is one process's at a time, and is replaced whole after each run.
package paper
