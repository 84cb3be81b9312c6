// Package bench measures controllers: anybody's, by what they answer to emulated switches.
//
// # The problem
//
// Figures of controllers are easy to get wrong. Counting messages flatters who sends more of them
// for a packet; a load that waits for the answer hides how long others would have waited; a machine
// that is busy with something else makes any number. So events are counted, not messages; times run
// from when a packet was meant to be sent; peers are measured in the same run, alternately; and
// where the generator was late, answers are missing, or nothing was answered, there is no result.
//
// # Inputs and outputs
//
// Reactive has emulated switches send packet-ins of 64-byte UDP frames between known hosts, and
// counts those that are answered: by the first flow-mod or packet-out with the packet-in's buffer
// id or, unbuffered, the first packet-out with its frame, once each. Hops does it with new flows
// over paths of several switches, and follows each packet through the rules it finds. Start takes
// the time from a process's start to its API's first answer, and from a switch's handshake to its
// place in the view. Each returns a Report, with the machine, the versions and the command in it.
//
// # Who owns what
//
// A source, one for each switch, is the window of its packet-ins; its lock is taken once for a
// batch of answers. Answers are recognised on the session's reader, which also sends the next
// packets where a number is outstanding; at a set rate one goroutine sends for all (load_loop.go).
// Controllers are processes of their own (process_loop.go), so that their CPU time is theirs.
package bench
