// Package alarm keeps the alarms for operators: attacks, faults, limits reached.
//
// # The problem
//
// Faults are detected in many places, on goroutines that must not block, and an attacker can cause
// them a million times a second. An operator wants one line for a fault, at once, with a count, and
// wants to see when it ended.
//
// # Inputs and outputs
//
// In: Raise and Clear, from any goroutine; they never block and cost a map lookup. Out: rows of
// netview.Alarms, from which the API, the event stream and the metrics read. Watch raises the
// alarms that follow from the view itself: switches that lost their session, links that went down.
//
// # Invariants
//
//   - An alarm is (kind, object). Raised while active it is only counted; for that the row is written
//     at most once in Refresh.
//   - A new alarm, and the end of one, is in the view as soon as the loop runs.
//   - Alarms of a transient kind (netview.AlarmKind.Transient) end after Quiet without a repetition; all
//     others when they are cleared.
//   - An ended alarm is kept for Keep.
//   - At most Max alarms are kept. For one more, the one that ended first is removed; if none has ended
//     it is counted as dropped, and an alarm of the kind "limit" says so.
//
// The core (core.go) decides and is pure. The loop (loop.go) owns the writer of the view.
package alarm
