// Package outlet is what switches are sent about pairs: rules, deletions of rules, packets.
//
// # The problem
//
// A packet-in is answered on the goroutine that reads from its switch, with messages to that switch and to
// others, and without an allocation.
//
// # Inputs and outputs
//
// In: a pair, a port, a cookie, packets that came in. Out: messages, appended to the queue of a Conn, which is a
// Switch in one session, with the version's ways. Whoever holds a Writer is told whether the queue took them;
// Written are the queues to be flushed.
//
// # Invariants
//
//   - A rule's idle time-out grows from switch to switch of a path: a pair runs out from its ingress on, so that
//     a packet which finds one rule finds the next.
//   - Of the rules of a pair only that of its ingress has the switch say when it is gone.
//   - A deletion removes the rule that is meant: by its port, and by its cookie where the version can.
//
// A Writer has one owner at a time. A Conn is for any goroutine.
package outlet
