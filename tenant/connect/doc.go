// Package connect is one virtual switch of a tenant as its controllers meet it: sessions, requests, answers.
//
// # The problem
//
// A controller that knows nothing of Weir connects to what must look like a switch: it has roles, answers requests,
// refuses what is wrong, tells of packets and of entries that end, and says of a barrier that it is done only when the
// physical switch has done what came before.
//
// # Inputs and outputs
//
// Connect gives it a connection to a controller, whose switch's end it is from then on. What controllers change goes to
// Config.Physical, for flowsync; Outcomes takes what became of it. PacketIn takes what the physical switch shows of an entry,
// or, of a reactive switch, what the tables are to handle.
// Packets that controllers send go there, too. Counted takes what the physical switch has counted, of which Physical.Count asks
// when a controller wants to know. What changes in the tables goes to Config.Journal, at most some 20 ms later while it takes
// what comes; Restore gives the switch those of an earlier run.
//
// # Invariants
//
//   - Orders are given in the order of the messages that they come of: those of a batch of input together, before a packet
//     that a controller sends after them, and without the lock.
//   - Who brings packet-ins and outcomes serves all tenants, and does not wait for this switch (inbox).
//   - A switch that is withdrawn orders nothing more, whatever controllers still send.
//   - A controller that does not read is told less, and holds up nobody: the bounds are those of package agent.
//   - A barrier after the first change is answered when the journal says that the tables are being changed, or has not for
//     five seconds: tables of which it says that it has all are what controllers were told.
//   - No counter is invented: those that are not known are all ones, which is OpenFlow's "not available".
//   - Counters that are shown are a second old at the most, if the physical switch can be asked so often; however often
//     controllers ask, it is asked once for all. Who asks waits for them, with what it sends after its question, for half
//     a second.
//
// Any goroutine may call the methods of a Switch.
package connect
