// Package alarm keeps what an operator should know of: attacks, faults, limits reached.
//
// # The problem
//
// What is wrong is found in many places, on goroutines that must not wait, and an attacker can make it happen a million
// times a second. An operator wants one line for it, at once, with a count, and wants to see when it ended.
//
// # Inputs and outputs
//
// In: Raise and Clear, from any goroutine; they never block and cost a look into a map. Out: rows of netview.Alarms,
// from which the API, the event stream and the metrics read. Watch raises what the view itself shows: switches that lost
// their session, links that went down.
//
// # Invariants
//
//   - An alarm is (kind, object). Raised while active it only counts; the row is written at most once a Refresh for that.
//   - A new alarm, and the end of one, is in the view as soon as the loop runs.
//   - Alarms of a kind that passes (netview.AlarmKind.Passes) end when Quiet has gone by without another; all others when
//     they are cleared.
//   - One that has ended stays for Keep, then goes.
//   - At most Max alarms are kept. For one more, the one that ended first goes; if none has ended it is counted as
//     dropped, and an alarm of the kind "limit" says so.
//
// The core (core.go) decides and is pure. The loop (loop.go) owns the writer of the view.
package alarm
