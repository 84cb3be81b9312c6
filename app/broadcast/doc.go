// Package broadcast is the built-in application that brings a packet to every host: broadcast, multicast,
// ARP and neighbour discovery follow a loop-free tree, whatever the topology.
//
// # The problem
//
// A network of switches with loops in it has no safe way to flood. So each switch has firm rules, a
// constant number of them, which forward along a spanning tree and work with no controller alive. See
// docs/spec/switch-plan.md. What the rules of a switch cannot tell apart, and what is for hosts that nobody
// knows, the controller sends out of every edge port itself (flood.go).
//
// # Inputs and outputs
//
// The part follows the view: each update is a step of the core (core.go), which returns the rows of the
// switches whose tree has changed; the part publishes them through netview.Desired, and flowsync makes the
// switches agree. Inherit takes what a switch holds of the tree of an earlier run. Flood, and the part in
// a switch's session, are called on the goroutine that reads from the switch. Crossing, Unconfirmed and
// Counts may be asked by anybody.
//
// # State and invariants
//
//   - A change of the tree removes before it adds (open.go), so two trees never forward together.
//   - A switch gets its first tree when everything behind its ports is known; before that it keeps what it
//     holds from an earlier run.
//   - The tree changes after the rules of pairs that send to ports which are gone are deleted
//     (Applied).
//   - No packet is flooded twice: only the switch where it entered the network has it flooded, and no
//     switch on the way sees it again.
//   - The rows have the owner RowOwner and cookies of plan.KindTree, as in the versions in which app/forward
//     wrote them: an upgrade writes none of them.
package broadcast
