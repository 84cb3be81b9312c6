// Package host is the stack of one emulated end host: what a station at the edge of a network does
// with a frame.
//
// The problem: a network emulator needs thousands of stations that behave like real ones towards
// the network (they ask for addresses before they send, answer, retry, retransmit and give up) and
// that count like measuring instruments what was sent, received, lost, duplicated and reordered,
// and how late it was. A kernel stack in a namespace for each needs root and megabytes.
//
// Inputs: Receive takes a frame from the host's link, Step the passing of time, commands (Ping,
// UDP, TCP, Announce) what the station is to do. Output: frames, given to Output.Send during the
// call. Time is an argument, an offset from an epoch that all hosts of a network share, because
// payloads carry it from one to the other: so latency is one-way. Randomness comes from
// Config.Seed.
//
// What it speaks:
//
//   - ARP and neighbour discovery: a cache whose entries age, are refreshed while they are in use
//     and are asked for three times; frames wait meanwhile, up to a limit. Replies, too, go by the
//     cache, so that a station whose peer learned its address from somebody else asks for the
//     peer's, as a real one does.
//   - ICMP echo over IPv4 and IPv6: the responder, and Ping.
//   - UDP: Flow sends at a rate and pattern whatever the network does (open loop); every port is a
//     Sink that counts per flow. Port 7 echoes.
//   - TCP: handshake with the options of segment size and window scale, slow start and congestion
//     avoidance, fast retransmission and recovery, the retransmission timer with its estimate and
//     back-off, FIN and RST. A Stream carries Content, of which the receiver knows each byte by its
//     place, so that neither end keeps any: bytes out of order are checked and only their place is
//     kept. A host accepts streams to every port below the dynamic ones that is not closed.
//   - Ethernet untagged or with one VLAN tag.
//
// How it is built, a stack of layers, each of which knows those below it and none above:
//
//	host.go       Host: New, Step, commands; receive.go hands what comes to the layer that it is for
//	tcp.go        streams, and each Stream: sender.go and receiver.go are its halves, which know nothing of each other
//	flow.go       datagrams: Flows of this host, Sinks of others
//	ping.go       echo: the responder, and Pings
//	neighbour.go  neighbours: the cache, what waits for addresses, arp.go and nd.go; all above send by deliver
//	link.go       link: the frame that is being built, counters, timers
//	identity.go   identity: the addresses, which never change
//
// There are no routers: every destination is a neighbour on the link. Fragments are refused. Of TCP
// there is no selective acknowledgment, no urgent data and no delay of acknowledgments, and a SYN
// does not cross another.
//
// Invariants: a Host has one owner, who serialises calls; Output.Send does not call back into the
// host. The same seed, commands and frames give the same frames. Whatever Receive is given, the
// host's memory stays below fixed limits (Max…).
package host
