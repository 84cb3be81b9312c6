// Package report says what a benchmark measured, or why there is no result, as text, JSON, Markdown
// and a page.
//
// # The problem
//
// A figure without its machine, load, command and spread is worth nothing, and one that was measured
// when something went wrong is worth less. So all of it is in one Report, of every scenario in the
// same shape, and a subject whose run was refused has no figure in any form of it.
//
// # Inputs and outputs
//
// In: for each subject the figures of each run (Take, Use), distributions of times, and refusals.
// Out: medians with the least and the greatest, ratios within the report, a verdict; Print,
// WriteHTML and Markdown, and JSON that Read reads again and Merge joins.
//
// # Invariants
//
//   - A refused Result has no measures, times or processes.
//   - A page refers to nothing outside of it, and text of a report is never markup.
//   - What Read returns can be drawn: nothing in it is missing or out of bounds.
//   - The names of figures and the JSON only grow (Format).
package report
