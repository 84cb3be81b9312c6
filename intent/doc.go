// Package intent keeps the connections that users request: it admits requests, makes them durable,
// computes paths and the rules that switches need, and keeps both correct while links fail, hosts
// move and switches refuse rules.
//
// # The problem
//
// A request is a promise: once it is answered it must not be lost, whatever crashes, and no planned
// change may lose its packets. There may be a million intents, a hundred thousand new ones a
// second, and one failed link may concern tens of thousands.
//
// # Inputs and outputs
//
// Engine serves the API: Submit answers when requests are durable; Get, List, Wait and Changes show the
// state of intents. The catalog has all intents, in four parts under one mutex that is never held
// across a wait: records (by number and id), admission (which requests are accepted; package claims),
// submissions (accepted ones on their way to the Journal) and publication (events, who waits). Durable
// contents go to the Core, with the changes of the network view and the outcomes of orders. The Core
// returns orders (install or remove a rule: package ruleset), states, and decisions (the chosen path),
// which a second journal keeps so that paths stay the same across a restart. Its Step takes one Input
// with a list of each kind, since a step may take a hundred thousand commits or outcomes: a list of
// mixed inputs would allocate each.
//
// # The core's parts
//
// Core (core.go, network.go) knows what has happened and in which order things are done. Each part keeps
// one thing, and knows only parts that stand before it here:
//
//	step           the step in progress: when, and what has come of it
//	entries        of each intent its content, rule set, transition and state
//	paths          (package) the paths, who takes them, whether their links work
//	conflict       (package) whose rules stand in the way of another's
//	switchPorts    which ports are gone
//	hostIndex      who depends on a host
//	refusals       which switches the paths of an intent avoid, until when
//	reevaluations  who is to be evaluated again: broken paths first, in portions
//	waiting        who has no rules, and what would help
//	compiler       content -> rule set, or why there is none
//	decisions      rule sets <-> the journal of decisions
//	progress       the states of intents that have rule sets
//	transitions    from rule set to rule set: stages, roll-back, rules that go
//	planner        whose path works and could be better
//	decider        what is to be done about one intent
//
// # How a path changes
//
//   - A new path: all rules except those at the ingress; when they are confirmed, the ingress rules.
//   - A hitless change (new content, drain, shorter path): hitless.go. No packet is lost, and no
//     packet loops.
//   - After a failure, or when a host has moved: all rules at once.
//   - When a switch refuses a rule: a path that avoids the switch, or none: failed, with retries.
//
// The rules of the old path are removed when the new path is confirmed and twice the old path's
// latency has passed: at least 100 ms, and at least 1 s while the latency of one of its links is
// unknown.
//
// # Invariants
//
//   - Requests take effect in the order in which they become durable. A batch whose commit failed
//     leaves nothing behind.
//   - A number belongs to one intent until all its rules are gone from all switches, as far as
//     switches can be asked.
//   - For one rule key (switch, in port, priority, match) at most one intent has rules out; and no two
//     have rules at one in port, in one priority, whose matches differ, if one packet may match both
//     (package conflict).
//   - The cost of a step depends on what has changed: the paths over a link, the intents of a host, the
//     intents that wait for a switch. All intents are evaluated only at the start, and when discovery
//     has settled.
//   - The path of an intent depends on its number, the network and its history, and on nothing else.
//
// Limits: a shorter tree is sought only together with shorter paths, 30 s after the last change of
// a link, for 64 intents a second. A wide intent matches packets of any sender (spec.Spec.Wide): they are
// tagged on the links of its path (tags.go); what cannot be, or is not yet, is counted (wide.go).
package intent
