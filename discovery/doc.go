// Package discovery turns what switches tell (handshakes, port statuses, packet-ins) into facts of the network view:
// switches, links, hosts.
//
// # The problem
//
// OpenFlow tells of switches and of their ports; what is behind a port must be found out. Another switch of ours: a
// frame sent out of every port, that only we can have made, and that comes in where the other end is. A host: it
// speaks, at a port that leads to no switch. Both must be fast (a network of a hundred switches in a second), cheap
// when nothing happens, and safe: anybody with a cable can send frames.
//
// # Inputs and outputs
//
// In: SwitchUp, SwitchDown, PortStatus, LLDP, Frame, from the sessions' reader goroutines; Remembered, from who has read
// the switch's rules; time. Out: frames to send out
// of ports (Output), and transactions on netview.Facts.
//
// # Invariants
//
//   - Unknown is not down. When a switch's session is lost its links and hosts stay, unconfirmed; only evidence removes
//     them: a port down, another place, or probes that stay unheard while the sessions of both ends are up.
//   - A link is made by an authentic frame only: its MAC holds, and its number is the one sent at that port in this round
//     or the last, and has not been heard before.
//   - Silence is no evidence of an edge where a link was. Such a port is unknown, it carries no broadcast and no host, until
//     the link is heard again or there is evidence that the cable leads elsewhere: the carrier was lost, the switch that was
//     at the other end is connected, and probes that really left this port stayed unheard (silence in past.go has the
//     times). While that switch is not connected it may forward all the same, and only a host that speaks here and is
//     known nowhere else is such evidence. What a switch holds from an earlier life says where links were.
//   - A probe that its session did not take is not missed.
//   - A link's measured latency is of at least twenty probes (latency.go says how, and what it cannot know); the view hears of
//     it when it changed by more than a tenth and 50 µs.
//   - Hosts are at ports of the role edge; a host never moves to a link's port.
//   - Everything that others can make grow has a bound (Limits), and what is dropped is counted (Counts).
//
// The core (core.go and the nouns beside it) decides and is pure: time and transaction are arguments. The loop (loop.go)
// owns it. One part is shared with the readers and lock-free: the table of what is known already (known.go).
package discovery
