// Package memnet is a network in memory for tests: connections and listeners that implement net.Conn and net.Listener,
// with a delay, bounded buffers, partitions and cuts.
//
// # The problem
//
// Tests of loops need a peer at the other end of a byte stream, time that they control and faults that they choose.
// Everything here waits on sync.Cond and time.AfterFunc only, so that it works under testing/synctest, where a
// blocked reader counts as idle and the delay passes in no time.
//
// # What it models
//
// A stream, as TCP gives it: bytes arrive in order or the connection breaks. So a partition holds bytes back until it
// is healed, and a loss is a cut: both ends get an error at once. A full buffer blocks Write, as a peer that does not
// read does; TryWrite never blocks.
package memnet
