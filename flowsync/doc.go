// Package flowsync makes every switch hold the firm rules and meters that the view wants it to hold.
//
// # The problem
//
// A switch outlives sessions and controllers, refuses rules, loses its connection in the middle of a change, and holds
// entries of others. What is wanted changes faster than a switch can be told. So flowsync keeps no list of things to do:
// for each switch it keeps what is wanted and what the switch is known to hold, and sends the difference, a batch at a
// time, until there is none.
//
// # Inputs and outputs
//
// In: changes of wanted rules and meters, switches with their ports and whether discovery has settled (all from netview),
// sessions that come and go, the entries a switch answers, the errors and barrier replies that answer a batch. Out:
// flow-mods and meter-mods, each batch followed by one barrier; the state of each rule (pending, installed, failed with
// the switch's reason) in one transaction a batch; the infrastructure's own rules (Infrastructure).
//
// # What happens when a switch connects
//
// Nothing is flushed. Its entries are read, all of them: those of others have to be listed, and an ADD with the same
// table, priority and match would overwrite them. Then
//
//   - a wanted rule that the switch holds already is installed, without a write;
//   - one that is missing or different is ADDed (MODIFY would leave the old cookie, and ADD replaces without a gap);
//   - a firm entry of ours that nobody wants is removed, but only after discovery has settled and Config.Grace has gone,
//     so that applications have said what they want;
//   - a soft entry of ours is adopted: a compact record, never repaired, removed early only when its output port is down;
//   - a foreign entry is counted, listed and left alone. A rule that is wanted in its place fails, and says why.
//
// # Invariants
//
//   - State installed means: a barrier reply, or the switch's own listing, has confirmed this content on this session or
//     an earlier one, and nothing that came later says otherwise. Losing a session does not change it: a switch without
//     its controller goes on forwarding.
//   - At most one batch is in flight to a switch. Changes meanwhile are kept as state: the latest wins, what came in
//     between is never sent. Rules and removals leave in the order in which they were asked for, and those of one change
//     (up to Config.BatchMax) are confirmed by the same barrier.
//   - Meters are confirmed before the rules that use them are sent. Where a switch refuses a meter, the rules that use it
//     are installed without it, and their Reason says so.
//   - Nothing is deleted but by strict deletions that name one entry, restricted, where the version can say it, to our
//     own cookies.
//
// Soft rules of this life are app/forward's and are not known here (docs/design/0001-soft-rows.md).
package flowsync
