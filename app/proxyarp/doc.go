// Package proxyarp is the built-in application that answers ARP requests and neighbour
// solicitations from the view, and learns addresses that DHCP servers give out.
//
// # The problem
//
// A host that looks for another asks everybody. The tree carries its question with no controller
// alive, and the one who is meant answers, if it hears and may: a host that sleeps, drops
// broadcasts or lost the question is not found though the network knows where it is. Answering for
// it is an optimisation on top (docs/design/0004-answers-on-top.md): two answers that say the same
// are harmless, a wrong one is not.
//
// # Inputs and outputs
//
// Frame is given the key of every ARP and neighbour discovery packet, DHCP the datagrams of DHCP,
// both on the goroutine that reads from the switch, after discovery. Answers leave by a packet-out
// at the asker's port, through the switch's own ordered output. What hosts and servers say of
// addresses goes to the loop, which compares it with the view and keeps the table of bindings that
// answers come from. Addresses of DHCP are handed to discovery (Config.Learned), and an address
// that two hosts claim is alarmed. The core has no Step: it answers a question on the goroutine that
// read it, since the answer is the same whatever waits for the loop.
//
// # When it answers
//
//   - A broadcast ARP request of a host for another's address. Not a probe, whose sender is 0.0.0.0
//     (RFC 5227, 2.1.1: an answer would deny the asker its address, and only who has it may do
//     that), and not an announcement, whose sender is its target.
//   - A multicast neighbour solicitation with hop limit 255 and the asker's link-layer address,
//     from an address: not the unspecified one, which detects duplicates (RFC 4862, 5.4). The
//     answer is solicited and does not override (RFC 4861, 7.2.8).
//   - The asker is at a port of role edge, and is not known at another place.
//   - One host alone has claimed the target in this VLAN, itself, by ARP, neighbour discovery or
//     DHCP, lately; it is confirmed in the view, and not at the asker's own port.
//
// # Invariants
//
//   - An address seen only as the source of data is nobody's: a router forwards for all the world.
//   - A claim counts only from the place where the view has the claimer.
//   - Answers are bounded for each port (Limits.Answers), the table and all queues in size; what is
//     above is counted.
//   - Packets that are neither ARP nor neighbour discovery nor DHCP cost a comparison of layers.
package proxyarp
