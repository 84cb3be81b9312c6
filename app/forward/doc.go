// Package forward is the built-in application that makes a network forward unicast: any host reaches any
// host, whatever the topology, loops included, without anybody configuring anything.
//
// # The problem
//
// A controller that installs hop by hop costs a round trip at every switch. So the first packet of a pair
// (VLAN, source, destination) comes in, the rules of a whole shortest path are installed downstream first
// and confirmed by barriers, then the ingress rule goes in and the packet is released: no second packet-in.
// Equal-cost paths are shared out by a symmetric hash of the pair. Packets to hosts that nobody knows, and
// to groups, are package broadcast's (Broadcaster).
//
// # Inputs and outputs
//
// PacketIn, BatchEnd and FlowRemoved are called on the goroutine that reads from the switch, in the
// order of its messages; they only look into indices and append to output queues. Step takes the
// changes of the view, on one goroutine: it keeps the indices, and moves pairs whose path broke, whose host
// moved, or whose path crosses something drained. Crossing counts those that still do. Step returns nothing
// to do, as the cores of other engines do: pairs are decided and written where the packet came in, under a
// lock of its switch, since the packet waits.
//
// # Parts
//
// Each knows only parts that stand before it here. Those of the application, which all switches share:
//
//	places       (package) where hosts are
//	pairs        (package) paths, each once, and their cookies
//	routes       how packets get to a host now, and whether a path still leads there
//	switchTable  the switches, and their connections
//	refusals     which switches refuse rules (package admission)
//	silence      which switches owe an answer and say nothing
//	retired      paths that pairs have left, until their rules are deleted
//	slots        the places of planned moves
//	inherited    rules of an earlier run that are no pair yet
//
// Those of each switch, a Datapath, under its lock:
//
//	ingress      the pairs that enter there: the path of each, the one it is about to take, and tails of others
//	sender       rules and packets (package outlet)
//	installer    installs, stage by stage as they are confirmed, and the packets that wait for them
//	moves        pairs on their way to another path
//	Datapath     what comes from the switch: packet-ins, ends of rules, refusals
//
// And those that look at all switches, on Step's goroutine:
//
//	adopter      inherited rules -> pairs
//	cleaner      deletes the rules of retired paths
//	repairs      moves pairs whose packets do not arrive any more
//	planner      moves pairs whose path works and could be better
//
// # State and invariants
//
//   - A pair is kept once, at its ingress switch, as (pair → path); the rules of the other hops are
//     derived. The switch is authoritative for soft rules: when it reports that the ingress rule is
//     gone, the pair is forgotten.
//   - When a pair is forgotten, or its source is at another switch, the rules of its path are deleted
//     (cleaner.go), but for those that expire by themselves because no packet can match them. So where
//     a pair's source is no rule of a later hop stays, whichever run wrote it (adopter.go).
//   - The number of pairs for each ingress switch is bounded (MaxPairs); beyond it packets are
//     released without a rule.
//   - For one match every switch has one rule, and it leads strictly closer to the destination: no
//     loops.
//   - No rule sends to a port that is not what it was when the rule was written (step.go).
//   - No new pair waits for a switch that has become silent, and none of its rules stay (silence.go): a packet that is
//     flooded where a rule is missing could meet one again, and loop.
//   - A planned change of paths is hitless (moves.go), and bounded (planner.go).
//   - A rule's idle time-out grows from switch to switch of a path: a pair runs out from its
//     ingress on, so that a packet which finds one rule finds the next.
//   - Packets are released in the order they came.
package forward
