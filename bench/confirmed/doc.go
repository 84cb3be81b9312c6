// Package confirmed is the controller of a tenant that knows which of its flow entries were confirmed, and looks whether
// they are still there.
//
// # The problem
//
// A barrier's answer promises that the entries before it are in the switch. A tenant's switch is made by an instance, which
// may die after it has answered: then the one that takes over has to know them, or say that the switch was restarted.
//
// # Inputs and outputs
//
// A Controller listens, and the tenant's switches, OpenFlow 1.3, are to connect to it. Add sends an entry with a barrier to
// the next switch. Missing reads what all switches have, and counts the confirmed entries that are not there. Entries are
// told apart by their cookies, which are never used again; each is for packets to an address of its own, which it drops.
//
// # Invariants
//
//   - An entry counts as confirmed only if the barrier behind it was answered without an error, and no error about the entry
//     came before. What was sent and not confirmed may be there or not.
//   - A new session of a switch takes nothing from what was confirmed in one before.
//
// A Controller's own goroutine accepts switches; package session has one for each.
package confirmed
