// Package intent keeps what users want to be connected: it takes requests, makes them durable, chooses paths, says what switches are to hold, and keeps
// that true while links fail, hosts move and switches refuse.
//
// # The problem
//
// A request is a promise: once it is answered it must not be lost, whatever dies, and its packets must not be lost by anything that is done on
// purpose. There may be a million of them, a hundred thousand new ones a second, and a link that fails may concern tens of thousands.
//
// # Inputs and outputs
//
// Engine is for the API: Submit gives answers when they are durable, Get, List, Wait and Changes show what became of them. Its front (front.go) gives
// numbers, finds contradictions and hands contents to a Journal, under a lock that nobody holds while something waits. What is durable goes to the Core, with the changes
// of the network view and the outcomes of orders; out come orders (a rule of a program is wanted on its switch, or no longer: package program),
// states, and decisions (which path), which a second journal keeps, so that paths in use stay over a restart.
//
// # How a path changes
//
//   - A new one: all rules but where packets come in, then, when these are confirmed, the rest.
//   - For a reason that is no failure (a new content, a drain, a shorter path): polite.go. No packet is lost, and none goes round.
//   - After a failure, or when a host has moved: everything at once.
//   - When a switch refuses: another path that avoids it, or none: failed, and tried again.
//
// The rules of a path that was left go when the next one is confirmed and twice its latency has passed, 100 ms at
// least, and a second where the latency of a link is not known yet.
//
// # Invariants
//
//   - Requests take effect in the order in which they are durable. A batch whose commit failed has left nothing.
//   - A number belongs to one intent until all its rules are gone from all switches, as far as switches can be asked.
//   - For one place (switch, port in, priority, match) at most one intent has an order out; and no two have orders out for one place in one priority
//     whose matches differ, if there may be a packet of both (overlap.go).
//   - What is done costs by what has changed: a link's ways, a host's intents, what waits for a switch. Everything is looked at only at the start, and when
//     discovery has settled.
//   - The path of an intent depends on its number, the network and its history, and on nothing else.
//
// Limits: a shorter tree is sought only with shorter paths, 30 s after the last change of a link, for 64 intents a second. A wide intent takes what
// matches on the links that it passes, whoever sent it (spec.Spec.Wide): it has to say so, and is counted (wide.go).
package intent
