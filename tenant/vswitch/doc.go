// Package vswitch is one virtual switch of a tenant: the tables that the tenant's controllers see, and what the physical
// switch is to have of them.
//
// # The problem
//
// A tenant's entry stands in the physical switch among those of others. It must do there what it does in the tenant's
// tables, to the tenant's packets and to no others; what the physical switch says of it is to be said of the virtual one;
// and a controller that asks for a barrier is to know what it would know of a switch of its own.
//
// # Inputs and outputs
//
// FlowMod, GroupMod and MeterMod change the tables, or are refused as a switch would refuse them. What they change goes to
// the Output as orders for flowsync, one rule set a rule, with groups and meters by content (docs/design/0015-tenants.md,
// "Where a tenant's entry stands"). Outcome takes what became of an order. Barrier is answered when all that was ordered
// before has an outcome. Tally takes what the physical switch has counted for entries,
// groups and meters; flow-removed messages wait for the last of it.
// SetPort and RemovePort are the tenant's ports; entries that output to ports which come or go are ordered anew. SetMiss
// says what becomes of packets without an entry. Classify has the rules that tell the tenant's packets from others'.
//
// Reactive, where one table does not hold the entries: frames that come in are handled by the tables, and micro-flows are
// ordered of what is like them (docs/design/0015-tenants.md, "Micro-flows").
//
// Save has what is to be in the journal: a record an entry, group and meter, and one of the switch. Restore makes the tables
// anew from the records of an earlier run, with the numbers that their rules had (docs/design/0015-tenants.md, "Persistence").
//
// # Invariants
//
//   - The rules that are ordered and not removed are those of the tables' entries, each in its place, and no others; but for
//     those of an earlier run that stay after a crash until controllers have filled the tables again (Leftover).
//   - A reactive switch has micro-flows instead: each does to its packets what the tables do to them.
//   - Each row, which is a place of an entry, has a number that no other row of the tenant has, as long as the physical
//     switch may have its rule; the next entry in this place has the same number, and another incarnation.
//   - No rule outputs to a port that is not the tenant's, or matches a packet that is not.
//   - Where all share one table, a rule stands in the block of its region, above those of regions that come after it.
//   - What an entry counts is what met its rules since its counters began, as far as it was read; what is not known is said
//     to be unknown.
//   - Barriers are answered in their order.
//   - A number of a row is free when the journal has no record of it.
//
// The package is pure: no goroutine, no clock. A Switch has one owner at a time.
package vswitch
