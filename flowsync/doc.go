// Package flowsync makes every switch hold the firm rules and meters that the view desires of it.
//
// # The problem
//
// A switch outlives sessions and controllers, refuses rules, loses its connection in the middle of
// a change, and holds entries of others. Desired rules change faster than a switch can be told. So
// flowsync keeps no list of things to do: for each switch it keeps the desired rules and what the
// switch is known to hold, and sends the difference, a batch at a time, until there is none.
//
// # Inputs and outputs
//
// In: changes of desired rules and meters, switches with their ports and whether discovery has
// settled (all from netview), orders for rules of rule sets, sessions, listings of switches, errors
// and barrier replies, and notices of entries that were removed or changed. Out: readings,
// flow-mods and meter-mods, each batch followed by one barrier; the status of each rule (pending,
// installed, failed with the switch's reason) in one transaction per batch; the outcomes of orders;
// the infrastructure's own rules (Infrastructure).
//
// # Terms
//
// A reading is a request for all of a switch's entries with its answer, the listing; an audit is a
// reading during which writing continues. A notice is an unsolicited message about an entry:
// flow-removed, or an update of the flow monitor. A place is what identifies an entry on its
// switch: table, priority and match. Firm entries are permanent, soft ones time out. An entry is
// stale if it is firm, ours and not desired; foreign if its cookie is not ours. An earlier run is
// this controller's process before its last start.
//
// # What happens when a switch connects
//
// Nothing is flushed. All entries are read: foreign ones have to be listed, and an ADD with the
// same table, priority and match would overwrite them. Then
//
//   - a desired rule that the switch holds already is installed, without a write;
//   - one that is missing or different is ADDed (MODIFY would leave the old cookie, and ADD
//     replaces without a gap);
//   - a stale entry is removed, but only Config.Grace after discovery has settled, so that
//     applications have had time to desire it;
//   - a soft entry of an earlier run is leftover: recorded, never repaired, removed early only when
//     its output port is down;
//   - a foreign entry is counted, listed and left alone. A rule that is desired in its place fails,
//     with that reason.
//
// A caller that starts with orders of an earlier run gives them first (Loop.Hold, Release): an
// entry that is listed before it is ordered takes ten times the memory. Then the first readings are
// queued so that those in progress have at most Config.ReadRulesMax rules of rule sets together,
// since listings wait in memory; switches with few rules are all read at once.
//
// # How drift is noticed
//
// A rule that is lost or changed by others (same place, other instructions or cookie) is put back:
// at once the first time, then with growing backoff. Drift is noticed
//
//   - by the switch's flow monitor, where it has one (Open vSwitch; every switch is asked, an error
//     means no): it reports every change. Our own changes come abbreviated and are ignored. While
//     the monitor is paused it may omit changes; when it resumes the switch is read;
//   - else by flow-removed messages, and by regular audits. All of these together cost no more than
//     Config.ReadShare of a processor, as measured; from that follow the time between two of them
//     and SwitchStatus.DriftBound, how long drift can stay undetected.
//
// Foreign entries are listed and left alone, also above ours. One that replaces a rule which the
// switch was known to hold is drift, and is replaced.
//
// # Switches that do not keep what they confirm
//
// One that loses a rule Config.LieCount times within Config.LieWindow is marked
// (SwitchStatus.Lying, an alarm). Its rules are retried each Config.RetryMax, and those count as
// installed only when a reading has shown them. One that leaves a barrier unanswered for
// Config.Answer, or as long as its session waits, while it stays connected is marked too
// (SwitchStatus.Stuck, an alarm): its pending rules are reported as failed, with that reason, so
// that no one waits forever; they are still sent, and a reading suffices to call them installed.
//
// # Switches that flood
//
// Unsolicited messages (errors, notices) wait for the loop, up to Config.UnsolicitedMax bytes of
// all switches together, of which a switch may use an eighth of what is free. Messages above that
// are dropped until the loop has caught up (Overflow): the switch is read, at most once a second,
// and the batch in flight is neither confirmed nor refused, but read too. Other switches are not
// affected.
//
// # Rules of rule sets
//
// Intents need millions of rules, which are no rows of the view: they are ordered (Loop.Order),
// each as a number in a rule set from which it is derived (package ruleset), and Config.OnOutcomes
// gets the outcome of each order. In the code they are called compact: a rule takes a row of 16
// bytes and a slot of 4 in an index by its place (compactTable); rare properties (refusals, losses,
// retries) are in side tables. Flow-mods are encoded straight into one buffer and sent as bytes
// under consecutive transaction ids, so that an error finds its row by subtraction. One batch is in
// flight to a switch, of rows of the view or of rule sets: the former, few, go first.
//
// Orders are state: for each place the latest wins. An entry of kind plan.KindIntent is a rule of a
// rule set if its place, owner and outputs are: the path version in its cookie identifies the
// decision that wrote it, and makes no difference. A listing is compared part by part. Readings,
// drift, lying, stuck switches and stale entries are handled as described above, with two
// exceptions: a refusal ends the order, since the owner chooses another path; and foreign entries
// above them are not looked for.
//
// # Pace
//
// Batches grow and shrink until a barrier takes at most Config.Barrier; a slow switch is not
// flooded.
//
// # Invariants
//
//   - Status installed means: a barrier reply or the switch's own listing has confirmed this content
//     in this session or an earlier one, and nothing later contradicts it. Losing a session does not
//     change it: a switch without its controller keeps forwarding.
//
//   - At most one batch is in flight to a switch. Changes meanwhile are kept as state: the latest
//     wins, intermediate ones are never sent. Rules and removals are sent in the order in which they
//     were requested, and those of one change are confirmed by the same barrier if they fit into a
//     batch (SwitchStatus.BatchSize).
//
//   - Meters are confirmed before the rules that use them are sent. Where a switch refuses a meter,
//     the rules that use it are installed without it, and their Reason says so.
//
//   - Entries are deleted only by strict deletions that name one entry, restricted, where the
//     version can, to our own cookies.
//
//   - Each order is answered once, by what the switch confirmed, listed or refused, unless a later
//     order supersedes it.
//
// Soft rules of this run are app/forward's and are not known here (docs/design/0001-soft-rows.md).
package flowsync
