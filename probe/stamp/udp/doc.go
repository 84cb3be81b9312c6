// Package udp is both ends of a STAMP session over UDP: a sender and a reflector (RFC 8762, section
// 4), with the kernel's times.
//
// # The problem
//
// What a program's clock says when it sends or has received is not when a datagram left or came. The
// kernel takes the time of one that came, and of one that left, which comes by another queue; a
// reply must carry a time from before it left. A reflector answers whoever asks, so it must not be of
// use to those who attack others.
//
// # Inputs and outputs
//
// Sender.Run sends requests to a reflector and gives the stamp.Outcome of the session; Report makes a
// report of it, WriteCSV a table. Reflector.Run answers requests until its context ends.
//
// # Who owns what
//
// A Sender has a goroutine that reads, and one lock around its session. A Reflector has none.
//
// # Invariants
//
//   - A reflector keeps no state, and never sends more bytes or datagrams than it received; not more
//     than a number a second; and none for port 862 or its own, where another reflector might answer
//     for ever.
//   - A time that is not the kernel's is counted and told.
package udp
