// Package admission decides who may begin a pair: how many a port may, when a switch that refuses rules is tried
// again, and how many packets a second go without a rule.
//
// # The problem
//
// Who invents addresses must not fill the tables of switches, nor ours. A switch whose table is full refuses
// each rule: to write them all the same costs it more than they are worth, and not to write any leaves it out
// for ever.
//
// # Inputs and outputs
//
// A Quota counts the pairs that begin at each port of a switch. A Refusal is told that a switch has refused a
// rule; it tells when one may be tried, and when the switch counts as one that takes rules. Direct counts the
// packets of a second that the controller sends on itself. Times are seconds that the caller counts.
//
// # Invariants
//
//   - A port at which too many pairs have begun is counted anew at most every ten seconds: by then some may have
//     ended.
//   - A switch that refuses is tried once, after 1, 2, 4 and so on up to RefusedMax seconds.
//
// A Quota has one owner at a time; the others are for any goroutine.
package admission
