// Package pcap writes what is captured in an emulated network into files that Wireshark, tshark and
// tcpdump read.
//
// # The problem
//
// Captures are called while the network holds a lock, so they must never wait for a disk. And a
// control channel is a stream of bytes, perhaps of a pipe inside the process or encrypted, but the
// programs that read captures expect packets.
//
// # Inputs and outputs
//
// File.Frame writes a frame of a port; Control.Bytes writes a piece of a control channel as TCP
// segments in made-up Ethernet and IPv4 frames, on OpenFlow's port 6653. The file is pcap with time
// stamps in nanoseconds.
//
// # Invariants
//
//   - Frame and Bytes neither block nor fail: frames are buffered in memory, up to MaxWaiting bytes,
//     and those beyond are counted as dropped. Close writes the buffer and returns the first error.
//   - A file ends with a complete packet, whenever the process ends after a write.
//   - The sequence numbers of a connection have no gap even where frames were dropped: they count
//     the captured bytes.
package pcap
