// Package pcap writes what is captured in an emulated network into files that Wireshark, tshark and
// tcpdump read.
//
// # The problem
//
// Whoever captures is called while the network holds a lock: the caller must never wait for a disk.
// And a control channel is a stream of bytes, maybe of a pipe inside of the process, maybe
// encrypted in flight, while the programs that read captures want packets.
//
// # Inputs and outputs
//
// File.Frame takes a frame of a port; Control.Bytes takes a piece of a control channel and makes
// TCP segments of it, in Ethernet and IPv4 frames that never were, on the port of OpenFlow, 6653.
// The file is pcap with time stamps in nanoseconds.
//
// # Invariants
//
//   - Frame and Bytes do not block and do not fail: frames wait in memory, up to MaxWaiting bytes,
//     and those beyond are counted as dropped. Close writes what waits and returns what went wrong.
//   - A file ends with a whole packet, whenever the process ends after a write.
//   - The segments of a connection have no gap, also where frames were dropped: their numbers count
//     what was captured.
package pcap
