// Package shares has tenants take turns at the processors: deficit round robin, of time that was really used.
//
// # The problem
//
// The messages of a tenant's controllers are handled on the goroutines that read them. Go's scheduler, and that of the system,
// share the processors out by goroutine, so a tenant whose controllers send as fast as they can has others wait: for a
// processor, behind its rules and packets on the way to a switch, and for the switch.
//
// # Inputs and outputs
//
// Each connection has a Turn, of its tenant's Account: Begin before it handles messages that were read, Over after each, Next or
// End. Who waits for a turn does not read its connection meanwhile, so that in the end the controller waits. What is done for a
// tenant elsewhere is charged to its account (Charge). Account.State says what a tenant has used, and how its turns have waited.
//
// # How turns are given
//
// An account is sparse as long as it uses no more than a quantum at once, and a part of the time in which it wants nothing: such
// a one has its turn as soon as there is a place. The others are busy. These have turns by deficit round robin: a round gives
// each a quantum, what a turn took is charged when it ends, and one that is in debt waits for further rounds. A busy account
// becomes sparse again when it has wanted nothing for a while, has not used much before, and its debt is paid; after a second
// without a wish debts are forgiven.
//
// While sparse accounts come now and then, busy ones leave room: they have half of the places, and after each of their turns time
// passes, restFactor times as much as it took. A processor that is never idle would have whoever comes wait, whatever the order
// here: in the queues of Go's scheduler and of the system's, and at the switch. Where no sparse account has come for a while, the
// busy ones have all places, and an account that is alone has one turn after the other.
//
// # Invariants
//
//   - Of busy accounts that always want turns, none gets ahead of another by more than a quantum and a turn for each place.
//   - Nobody waits while there is a place, but for the room that is left.
//   - Who waits gets a turn, or has Begin end by its stop; of an account that is closed nothing stays when
//     its turns have ended.
//   - Nothing is allocated, except when a Turn waits for the first time.
//
// core.go decides, and is given the time; Shares is the core under a lock, with the goroutines that wait (shares_loop.go), and an
// alarm for the end of a rest (alarm_loop.go).
package shares
