// Package load loads what is measured: with packet-ins, or with requests for paths.
//
// # The problem
//
// A load that waits for the answer hides how long others would have waited, and one that sends late
// measures itself. So times run from when something was meant to be sent; how late it was sent is
// measured too; and every answer is counted once, for what it answers.
//
// # Inputs and outputs
//
// A Load has emulated switches send packet-ins of 64-byte UDP frames between known hosts, and counts
// those that are answered: by the first flow-mod or packet-out with the packet-in's buffer id or,
// unbuffered, the first packet-out with its frame. With Config.Hops it does so with new flows over
// paths of several switches, and follows each packet through the rules it finds. Measure returns a
// Sample, whose Check says why it is no result.
//
// A Generator asks an instance for paths and withdraws them, as fast as the switches get them or at
// a set rate. A Submitter is one connection for requests that were made before.
//
// # Who owns what
//
// A source, one for each switch, is the window of its packet-ins; its lock is taken once for a batch
// of answers. Answers are recognised on the session's reader, which also sends the next packets
// where a number is outstanding; at a set rate one goroutine sends for all. A Generator that runs
// owns the range of paths of its testbed.
package load
