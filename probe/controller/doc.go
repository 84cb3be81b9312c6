// Package controller is the controller of one switch under test: it sets flows up as they come, or
// installs them before, knows its own share of it, and measures what the switch does of itself.
//
// # The problem
//
// What a new flow takes is the switch's time and the controller's. Whoever measures a switch needs a
// controller whose part is known and small, that forgets flows so that they can be new again, and
// that confirms what it has done. And some figures of a switch show to its controller alone: how
// fast entries come into force, how many packets it hands up, how long its counters take.
//
// # Inputs and outputs
//
// Listen waits for switches, OpenFlow 1.0 and 1.3, and takes the first that connects, or the one of
// a datapath id; others are refused. From then on the switch is this controller's: whatever it
// holds may be deleted.
//
//   - React has flows set up when their first packet comes, by Exact: the pair of MAC addresses, or
//     the transport connection. Learn is React by the ports at which stations were seen. Forget
//     deletes entries and waits for the switch's confirmation. Answers says of each flow how
//     long its packet-ins were with the controller.
//   - Install writes entries before they are needed, and waits until they are confirmed;
//     InstallPairs those of all pairs of stations that Learn knows of.
//   - Measure takes the figures of the switch that package probe/fit makes a profile of.
//
// # Who owns what
//
// The session's reader calls the handler, one call at a time; mu guards what it shares with the
// callers. Who comes in (door.go) and where stations were seen (learn.go) have locks of their own, which are taken
// last. The time of an arrival is the socket's, as the kernel stamps it, where it does
// (conn_linux.go): of a read that holds several messages it is that of the last of them.
//
// # What a barrier is worth
//
// Times of entries are times of barriers, and a barrier is the switch's word. Whether it keeps it,
// packets show: after the barrier of an entry that marks what it takes and hands it up, each packet
// that comes up unmarked passed an entry that was said to be in force. Such a packet was sent after
// the answer of the barrier came, so no clocks have to agree. InForce counts them. The packets are of
// a flow that the switch has not seen: what it does to flows in its caches may change later.
package controller
