// Package station is a host of ours at an end of a measured path: it asks and answers.
//
// # The problem
//
// A path is measured with packets, and somebody has to send and answer them. The stack of the
// machine has its own mind about addresses, routes and when it answers, and it answers interfaces of
// its own without the wire. A station of ours has an address that nobody else has, on a wire that is
// otherwise left alone.
//
// # Inputs and outputs
//
// Receive takes a frame of the interface, Config.Send one to it. A Station answers ARP requests,
// neighbour solicitations and echo requests, whole and in fragments, up to the longest packet of
// IP. Ask looks for another station, Echo sends it a request.
//
// emu/host is another host, with flows and streams, of an emulated network without fragments. This
// one is only what echoes of all lengths need, and does it at once: what it takes is a part of what
// is seen.
//
// # Invariants
//
//   - Receive has one caller at a time; everything else may be called from any goroutine.
//   - Memory is bounded by maxTrains packets in fragments.
//   - What is not for the station, or is damaged, is not answered.
package station
