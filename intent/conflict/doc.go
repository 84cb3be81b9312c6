// Package conflict finds the intents whose rules stand in the way of another's: in the same place, or in
// one priority at one port with packets in common.
//
// # The problem
//
// If two rules of one priority overlap and differ, the switch chooses which one a packet of both takes
// (OpenFlow 1.3.5 section 5.3). So no two intents may have such rules at one in port, if a packet may
// match both: because both have the same ingress port, or because one does not fix the sender (as wide
// intents do not). Two that fix the sender and have different ingress ports share no packet, whatever
// their matches: ipv4_src of one host, and eth_src of another. To compare each new rule with all that are
// there would cost more than to choose its path.
//
// # Inputs and outputs
//
// Index is told of the rule sets whose rules may be in switches (Add) and of those whose rules are gone
// (Remove). With names an intent that is in the way of a rule set. It reads the paths of the registry, and
// asks for the rule sets of the few intents that it looks at.
//
// # Invariants
//
//   - Matches with the same fields and masks, as most have, either are equal or have no packet in common:
//     the counts of classes at each port tell where others are, and only there a search is needed.
//   - For a match that belongs to one intent alone, as most do, only the intent is indexed.
//   - What is counted is what was added and not removed: nothing is left of rules that are gone.
//
// The package is pure. An Index has one owner at a time.
package conflict
