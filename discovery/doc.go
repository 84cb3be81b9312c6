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
// In: Load, what the instance before this one knew; SwitchUp, SwitchDown, PortStatus, LLDP, Frame, from the sessions' reader goroutines; Remembered, from who has read
// the switch's rules; what operators say (netview.Settings), seen within a second; time. Out: frames to send out
// of ports (Output), transactions on netview.Facts, and alarms.
//
// # Invariants
//
//   - Unknown is not down. When a switch's session is lost its links and hosts stay, unconfirmed; only evidence removes
//     them: a port down, another place, or probes that stay unheard while the sessions of both ends are up. When many
//     sessions are lost at once the control network is suspected, and no silence is evidence until they are back.
//   - A link is made by an authentic frame only: its MAC holds, it came in with the address that it was sent to, and its
//     number is the one sent at that port in this round or the last, and has not been heard before.
//   - Silence is no evidence of an edge where a link was. Such a port is unknown, it carries no broadcast and no host, until
//     the link is heard again or there is evidence that the cable leads elsewhere: the carrier was lost (or, where something keeps it up, the other port), the switch that was
//     at the other end is connected, and probes that really left this port stayed unheard (silence in past.go has the
//     times). While that switch is not connected it may forward all the same, and only a host that speaks here and is
//     known nowhere else is such evidence. What a switch holds from an earlier life says where links were.
//   - A link's measured latency is of at least twenty probes (latency.go says how, and what it cannot know); the view hears of
//     it when it changed by more than a tenth and 50 µs.
//   - No more is sent than comes back (pace.go): where probes are handled late, because there are very many ports or the
//     machine is busy, there are fewer, and whatever waits for silence waits longer.
//   - A probe that its session did not take is not missed, and a question that it did not take is not unanswered.
//   - Hosts are at ports of the role edge, or blocked; a host never moves to a link's port.
//   - A host moves only if it is not where it was: that port is down, or it does not answer there, and its switch has come to
//     the question: a barrier behind it came back. Where nobody could ask, its old place is looked at later (unasked.go).
//   - A port has one cable. Where a near probe comes in from a switch that was not there before, and the neighbour that was has
//     no session, the cable leads to the new one: a switch that got another datapath id is found again at once.
//   - Two ports between which a probe passes are never both edges, so that no broadcast can circle through what is between.
//   - Everything that others can make grow has a bound (Limits), and what is dropped is counted (Counts).
//
// # What can be told of a link, and what cannot
//
// A MAC keeps others from making probes, not from carrying them. Each port sends two kinds: a near probe to
// 01:80:c2:00:00:0e, which IEEE 802.1Q bridges do not forward, and a far one to an ordinary group address, which they do.
//
//   - Only far probes pass: a bridge is in between. The link is LinkIndirect: shown, and used only if Settings.Indirect.
//   - A third port of ours is heard at one of the ends, in two rounds (once may be a probe that went astray, stray.go): a segment. The links are LinkShared and never used. A probe that
//     was heard at one port makes no link at another; that port is blocked.
//   - A probe passes between two ports of which one has a host that answers (or is configured as edge): no link, and an
//     alarm. One of the ports is blocked (PortBlocked: no broadcast) for as long as it lasts, so that there is no loop. If
//     the host is silent, or its port was down meanwhile, a link may be made. The address of the port at the other end is no host:
//     the kernel answers for interfaces of Open vSwitch's. A host that was seen elsewhere since it was asked answers only by what it
//     sends to the asker: the rest may have come along the cable.
//   - A link that appears between two ports that have been edges for a while, with carrier all the time, was not plugged in: it
//     is shown as LinkIndirect, with an alarm, until a carrier is lost or an operator trusts it (unproven.go).
//   - A device that copies every frame both ways between two ports from their first seconds on is a cable as far as
//     frames can tell, and so is taken for one. So is one at whose ports the carrier was lost
//     (the "port amnesia" that TopoGuard+ describes): a real cable in a host's place looks the same. The literature tells
//     these by the time a probe takes; on networks where a packet through a software switch takes longer than a detour
//     through a host that means false alarms, so the measured latency of links is shown and decides nothing. Where ports
//     are known to be hosts' for good, configure them as edge: that ends it.
//   - What such a device can gain is the packets of paths through it, as with any cable that somebody has cut open.
//
// # Hosts
//
// A host seen at a second place is asked at its first, by unicast, out of its port: an ARP probe from 0.0.0.0 for its IPv4
// addresses, a neighbour solicitation for its IPv6 ones, twice in 600 ms; one that has told no address is asked for the
// link-local address that belongs to its MAC. Any frame from there is an answer: the claim is refused, with an alarm, and not
// looked at again for a second. Silence is a move. Where a switch cannot be asked, but is likely to be alive (it was lost
// less than 30 s ago and a neighbour has carrier to it, or the control network is suspected and its neighbours do not see
// that the carrier is lost), its hosts stay. After 30 s without a session they may move, with an alarm, and are asked at their old
// place when its switch is back. Packets from
// the false place are forwarded as any (a source address is no proof of anything), and nothing is sent to it.
//
// A host that was not seen for Settings.HostExpiry is asked, and deleted if it does not answer and nothing shows that
// packets of its are forwarded (Config.InUse). While a table is crowded those that never answered are asked after 30 s. Paths
// that lead to a deleted host stay: they end when nobody uses them.
//
// The core (core.go and the nouns beside it) decides and is pure: time and transaction are arguments. The loop (loop.go)
// owns it. One part is shared with the readers and lock-free: the table of what is known already (known.go).
package discovery
