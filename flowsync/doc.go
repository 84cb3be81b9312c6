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
// In: changes of wanted rules and meters, switches with their ports and whether discovery has settled (all from netview), orders for
// rules of programs, sessions that come and go, the entries a switch answers, the errors and barrier replies that answer a batch, what
// switches tell of entries that went or changed. Out: readings, flow-mods and meter-mods, each batch followed by one barrier; the state
// of each rule (pending, installed, failed with the switch's reason) in one transaction a batch; the outcomes of orders; the
// infrastructure's own rules (Infrastructure).
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
// Who starts with orders of an earlier life gives them first (Loop.Hold, Release): an entry that is listed before it is ordered needs a row of a program
// made of it, of ten times the size. Then switches are read in turns, as many at once as have Config.ReadMost rules of programs together, since what they list
// waits in memory; switches with few rules are all read at once.
//
// # How drift is noticed
//
// A rule that is lost or changed behind our back (same place, other instructions or cookie) is put back: at once the first
// time, then with growing pauses. It is noticed
//
//   - by the switch's flow monitor, where it has one (Open vSwitch; every switch is asked, an error means no): of all
//     changes, as they happen. Our own changes come abbreviated, and are no news. While the monitor is paused nothing is
//     promised; when it goes on the switch is read;
//   - else by flow-removed messages, of entries that go, and by reading the switch again and again beside the writing. All
//     such readings together cost no more than Config.ReadShare of a processor, as measured: from that follows the time
//     between two of them, and Standing.Bound, how long a drift can stay unnoticed.
//
// Entries of others are listed and left alone, also where they stand above ours. One that takes the place of a rule which
// the switch was known to hold is drift, and is replaced.
//
// # Switches that do not do what they say
//
// One that loses a rule Config.LieCount times within Config.LieWindow is marked (Standing.Lying, an alarm). Its rules are
// tried again each Config.RetryMax, and those are installed only when a reading has shown them. One that leaves a barrier
// unanswered for Config.Answer, or as long as its session waits, and is still connected after that, is marked too
// (Standing.Stuck, an alarm): its rules that are not installed are called failed, with that reason, so that nobody waits
// for ever; they are tried all the same, and a reading is enough to call them installed.
//
// # A switch that tells very much
//
// What switches tell unasked (errors, entries that went or changed) waits for the loop, up to Config.NewsMax bytes of all switches together, of which a
// switch may have an eighth of what is free. What it tells above that is dropped until the loop has taken the rest (Missed): the switch is read, at
// most once a second, and a batch that was under way is neither confirmed nor refused, but read too. Others are not affected.
//
// # Rules of programs
//
// Intents want millions of rules, which are no rows of the view: they are ordered (Loop.Order), each as a number in a program that says how it is
// derived (package program), and Config.Told is told what becomes of each order (Outcome). A rule takes a row of 16 bytes and a slot of 4 in
// an index by its place; what is rare (refusals, losses, waiting for another try) stands in tables beside. Flow-mods are encoded straight into
// one buffer and sent as bytes under consecutive transaction ids, so that an error finds its row by arithmetic. One batch is under way to a
// switch, of rows of the view or of programs: the former, few, go first.
//
// Orders are state, as all else: for each place the latest wins. An entry of kind plan.KindIntent is a program's rule if its place, owner and outputs
// are: the path version in its cookie says which decision wrote it, and is no difference. A listing comes in parts, each of which is
// compared as it comes. What is said above of readings, drift, lies, stuck switches and entries that nobody wants holds for programs too, but for
// two things: a refusal ends what is wanted, since the owner chooses another path; and entries of others above them are not looked for.
//
// # Pace
//
// Batches grow and shrink until a barrier takes Config.Barrier at most; a slow switch is not flooded.
//
// # Invariants
//
//   - State installed means: a barrier reply, or the switch's own listing, has confirmed this content on this session or
//     an earlier one, and nothing that came later says otherwise. Losing a session does not change it: a switch without
//     its controller goes on forwarding.
//
//   - At most one batch is in flight to a switch. Changes meanwhile are kept as state: the latest wins, what came in
//     between is never sent. Rules and removals leave in the order in which they were asked for, and those of one change
//     are confirmed by the same barrier if they fit into a batch (Standing.Batch).
//
//   - Meters are confirmed before the rules that use them are sent. Where a switch refuses a meter, the rules that use it
//     are installed without it, and their Reason says so.
//
//   - Nothing is deleted but by strict deletions that name one entry, restricted, where the version can say it, to our
//     own cookies.
//
//   - Each order is answered once, by what the switch confirmed, listed or refused, unless a later order takes its stead.
//
// Soft rules of this life are app/forward's and are not known here (docs/design/0001-soft-rows.md).
package flowsync
