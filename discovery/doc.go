// Package discovery turns what switches report (handshakes, port statuses, packet-ins) into facts
// of the network view: switches, links, hosts.
//
// # The problem
//
// OpenFlow reports switches and their ports; what is connected to a port must be discovered.
// Another switch of ours: a frame that only we can have made is sent out of every port, and comes
// in at the other end. A host: it sends packets, at a port that leads to no switch. Both must be
// fast (a network of a hundred switches in a second), cheap when nothing happens, and safe: anybody
// with a cable can send frames.
//
// # Inputs and outputs
//
// In: Load, the state of the previous process; SwitchUp, SwitchDown, PortStatus, LLDP, Frame, from
// the sessions' reader goroutines; FormerLinkPorts, within a turn of flowsync, which may be on discovery's own
// goroutine; configuration (netview.Settings), applied within a second; time. Out: frames to send out of ports
// (Output), transactions on netview.Facts, and alarms. The core has no Step: an input sees the rows
// that those before it have written, so all are applied to one open transaction (Begin, Tick), and
// what is to be sent and alarmed is taken when it is committed.
//
// # Invariants
//
//   - Unknown is not down. When a switch's session is lost its links and hosts stay, unconfirmed;
//     only evidence removes them: a port down, another location, or probes that stay unheard while the
//     sessions of both ends are up. When many sessions are lost at once the control network is
//     suspected, and silence is no evidence until they are back.
//   - A link is made by an authentic frame only: its MAC is valid, it came in with the destination
//     address that it was sent to, and its number is one sent at that port in this round or the last,
//     and has not been heard before.
//   - Silence is no evidence of an edge where a link was. Such a port is unknown, it carries no
//     broadcast and no host, until the link is heard again or there is evidence that the cable
//     leads elsewhere: the carrier was lost (or, where something keeps it up, the other port), the
//     switch that was at the other end is connected, and probes that were sent out of this port stayed
//     unheard (requiredSilence in classify.go has the times). While that switch is disconnected it
//     may still forward, and the only such evidence is a host that is heard here and known nowhere
//     else, provided no other switch has carrier to it: else the host may speak through it. After a
//     restart the rules found on a switch show where links were.
//   - A link's measured latency is of at least twenty probes (latency.go has the method and its
//     limits); the view is updated when it changes by more than a tenth and 50 µs.
//   - A link's width is known by long probes (width.go): one that is heard shows that it carries them; it is
//     narrow only when three in a row were lost while short ones came in. The row keeps it while an end is
//     disconnected, and over a restart.
//   - No more is sent than comes back (probes/pace.go): where probes are handled late, because there are
//     very many ports or the machine is busy, fewer are sent, and timeouts for silence are longer.
//   - A probe that its session did not accept does not count as missed, nor a query as unanswered.
//   - Hosts are at ports of the role edge, or blocked; a host never moves to a link's port.
//   - A host moves only if it is gone from its old location: that port is down, or it does not answer a
//     query there although its switch has processed the query (a barrier reply followed it). Where it
//     could not be queried, its old location is checked later (hosts/unverified.go).
//   - A port has one cable. When a near probe comes in from a new switch, and the previous neighbour
//     has no session, the cable leads to the new one: a switch that got another datapath id is
//     found again at once.
//   - Two ports between which a probe passes are never both edges, so that no broadcast can loop
//     through what is between.
//   - Everything that others can make grow has a bound (Limits), and what is dropped is counted
//     (Counts).
//
// # What can be told of a link, and what cannot
//
// A MAC keeps others from making probes, not from carrying them. Each port sends two kinds: a near
// probe to 01:80:c2:00:00:0e, which IEEE 802.1Q bridges do not forward, and a far one to an
// ordinary group address, which they do.
//
//   - Only far probes pass: a bridge is in between. The link is LinkIndirect: shown, and used only
//     if Settings.Indirect.
//   - A third port of ours is heard at one of the ends, in two rounds (once may be a misforwarded
//     probe, misforwarded.go): a segment. The links are LinkShared and never used. A probe that was
//     heard at one port makes no link at another; that port is blocked.
//   - A probe passes between two ports of which one has a host that answers (or is configured as
//     edge): no link, and an alarm. One of the ports is blocked (PortBlocked: no broadcast) for as
//     long as it lasts, so that there is no loop. If the host is silent, or its port was down
//     meanwhile, a link may be made. The address of the port at the other end is not a host: the
//     kernel answers for interfaces of Open vSwitch. A host that was seen elsewhere since it was
//     queried answers only by frames to queryMAC: others may have come along the cable.
//   - A link that appears between two ports that have been edges for a while, with carrier all the
//     time, was not plugged in: it is shown as LinkIndirect, with an alarm, until a carrier is lost
//     or an operator trusts it (unproven.go).
//   - Where two edges begin to be joined, broadcasts circle until a probe has passed. A host that is
//     seen at an edge, though it is known elsewhere, may be such a broadcast: the port is probed at
//     once, and not in the next round only, and the alarm about the host waits until that probe has
//     been silent for as long as makes a port an edge.
//   - A device that copies every frame both ways between two ports from their first seconds on cannot
//     be distinguished from a cable by frames, and is treated as one. The same holds for one at whose
//     ports the carrier was lost (the "port amnesia" that TopoGuard+ describes): a real cable in a
//     host's place looks the same. The literature distinguishes these by the time a probe takes; on
//     networks where a packet through a software switch takes longer than a detour through a host that
//     means false alarms, so the measured latency of links is shown and decides nothing. Where ports
//     are permanently hosts', configure them as edge: that prevents it.
//   - What such a device can gain is the packets of paths through it, as with any tapped cable.
//
// # Hosts
//
// A host seen at a second location is queried at its first, by unicast, out of its port: an ARP
// probe from 0.0.0.0 for its IPv4 addresses, a neighbour solicitation for its IPv6 ones, twice in
// 600 ms; one without a known address is queried for the link-local address of its MAC. Any frame
// from there is an answer: the claim is rejected, with an alarm, and ignored for a second. Silence
// is a move. Where a switch is disconnected, but probably still forwards (it was lost less than 30
// s ago and a neighbour has carrier to it, or the control network is suspected and its neighbours
// have not lost carrier), its hosts stay. After 30 s without a session they may move, with an
// alarm, and are queried at their old location when its switch is back. Packets from the rejected
// location are forwarded as any (a source address proves nothing), and nothing is sent to it. A
// host that was not seen for Settings.HostExpiry is queried, and deleted if it does not answer and
// no rule has forwarded packets of it (Config.InUse). While a table is crowded, hosts that never
// answered are queried after 30 s. Paths that lead to a deleted host stay: they end when unused.
//
// # Layers
//
// The core decides and is pure: time and transaction are arguments. The loop (loop.go) owns it,
// reads before a transaction what others have locks for, and does after it what the core has queued:
// frames, barriers, alarms, whether silent hosts are in use. The core hands each input to one of the
// layers below, and knows no more of them. A layer calls those under it, and never one above: what follows
// there is in what it returns, or is done by who called it.
//
//   - switches (device.go): which switches there are: sessions that begin and end, limits, operators. With it:
//     strangers (shortlived.go), switches that were not there for a minute yet, and the bound on their ports.
//   - ports (ports.go, port.go): ports that come, go, or change.
//   - links (links.go): which ports are joined. In: probes heard, rounds. With it: linkTable (linktable.go),
//     the rows of links, with state, latency and width; a link that is down is deleted after a minute.
//   - roles (roles.go): what a port is. With it: classifier (classify.go), when silence makes an edge;
//     cableTrust (unproven.go, misforwarded.go), whether a new link may be something else than a cable just
//     plugged in; settling (settled.go), switches at which all that can be discovered soon has been.
//   - package hosts: where hosts are. It is told what ports become.
//   - package probes: which probes are sent when, and how fast.
//   - package inventory: what is kept of switches, ports and links; the transaction; what is done at some time.
package discovery
