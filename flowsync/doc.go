// Package flowsync makes every switch hold the firm rules that the view desires and others order, with the groups and
// meters that these use.
//
// # The problem
//
// A switch outlives sessions and controllers, refuses rules, loses its connection in the middle of
// a change, and holds entries of others. Desired rules change faster than a switch can be told. So
// flowsync keeps no list of things to do: for each switch it keeps the desired rules and what the
// switch is known to hold, and sends the difference, in batches, until there is none.
//
// # Inputs and outputs
//
// In: changes of desired rules and meters, switches with their ports and whether discovery has
// settled (all from netview), orders for rules of rule sets, sessions, who is master of a switch (while
// another instance is, nothing is written and nothing reported), listings of switches, errors
// and barrier replies, and notices of entries that were removed or changed. Out: readings, flow-mods,
// group-mods and meter-mods, each batch followed by one barrier; the status of each rule of the view (pending,
// installed, failed with the reason) in one transaction per step; the outcomes of orders; alarms; findings of
// checks; the infrastructure's own rules (Infrastructure).
//
// # Terms
//
// A reading is a request for a switch's entries with its answer, the listing; an audit is a reading during which
// writing continues, and nothing is written during any other. A notice is an unsolicited message about an entry:
// flow-removed, or an update of the flow monitor. A place is what identifies an entry on its switch: table, priority
// and match. Firm entries are those of kinds that somebody wants here, mortal ones of them have time-outs; soft ones
// are of kinds that nobody wants here, and time out. An entry is stale if it is firm, ours and not wanted; foreign if
// its cookie is not ours. An earlier run is this controller's process before its last start.
//
// # What happens when a switch connects
//
// Nothing is flushed. Groups and meters are read, which entries name by number, then all entries: foreign ones have
// to be listed, and an ADD with the same table, priority and match would overwrite them. Then
//
//   - a desired rule that the switch holds already is installed, without a write;
//   - one that is missing or different is ADDed (MODIFY would leave the old cookie, and ADD
//     replaces without a gap);
//   - a stale entry is removed, but only Config.Grace after discovery has settled, so that
//     applications have had time to desire it;
//   - a soft entry of an earlier run is leftover: recorded, never repaired, removed early only when
//     its output port is down, or nobody of this run writes such entries (Config.RemoveLeftover);
//   - a foreign entry is counted, listed and left alone. A rule that is wanted in its place fails,
//     with that reason. Above rules of the view it is an alarm; above those of intents it is not looked for.
//
// A caller that starts with orders of an earlier run gives them first (Loop.Hold, Release): an
// entry that is listed before it is ordered takes ten times the memory. Readings other than audits are
// queued so that those in progress have at most Config.ReadRulesMax rows together, but for one that has more by
// itself, since listings wait in memory; switches with few rules are all read at once.
//
// # How drift is noticed
//
// A rule that is lost or changed by others (same place, other instructions, time-outs or owner; of the view, another
// cookie) is put back: at once the first time, then with growing backoff; one with a hard time-out for what is left
// of it. That a time-out ends a rule is no drift. Drift is noticed
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
// (SwitchStatus.Lying, an alarm). Rules that it lost so often are retried each Config.RetryMax, and count as
// installed only when a reading has shown them. One that leaves a barrier or a reading unanswered for
// Config.Answer, or as long as its session waits, while it stays connected is marked too
// (SwitchStatus.Stuck, an alarm): its pending rules of the view are reported as failed, with that reason; they
// are still sent, and a reading suffices to call them installed. Orders wait on: who gave them sees the alarm.
//
// # Switches that flood
//
// Unsolicited messages (errors, notices) wait for the loop, up to Config.UnsolicitedMax bytes of
// all switches together, of which a switch may use an eighth of what is free. Messages above that
// are dropped until the loop has caught up (Overflow): the switch is read, once each Config.RetryFirst at most,
// and the batch in flight is neither confirmed nor refused, but read too. Other switches are not
// affected.
//
// # One engine
//
// Whoever wants a rule orders it as one of a rule set (package ruleset): intents, which need millions of rules,
// give orders (Loop.Order), each a number in a set, and Config.OnOutcomes gets the outcome of each; each rule that
// the view desires is made a set of one, and its outcome is its status in the view. All are rows of one table a
// switch (ruleTable), with the entries that the switch holds and nobody ordered: 16 bytes a row, and a slot of 4 in
// an index by its place. What is rare (refusals, losses, what the view needs) is in side tables by row.
//
// What can happen to a row is in state.go, on one page; what differs between owners in policy.go: who is told,
// whether a refusal ends what is wanted, who keeps a place that two want, whether a path version counts, whether a
// time-out is the end. Orders are state: for each place the owner's latest wins, the view's wins against orders, and
// of two orders' owners the first. Listings are packed, and compared part by part, by the keys of behaviours
// (ruleset.AppendKey), so that nothing here depends on what a switch fills in.
//
// Flow-mods are encoded straight into one buffer and sent as bytes under consecutive transaction ids, so that an error
// finds its row by subtraction. Rows wait in lines of their owners' classes, which take turns (rowQueue); all that
// the view desires is one line, since rules of a pipeline need each other.
//
// # How the code is cut
//
// A Core steps one switchCore a switch (core.go, switch.go) and has what they share: configuration, counters, the
// queue of readings, deadlines, and what a step returns (shared). A switchCore is made of parts with
// state and invariants of their own (invariants.go). A part knows the parts above it in this list, and the session:
//
//   - session: which switch it is, and how far its session has come;
//   - health: whether the switch answers and keeps what it confirms, with the alarms;
//   - reading: when its entries are read, and audits; read.go has what follows from a listing;
//   - softEntries, foreignEntries: entries of an earlier run that time out, and those of others;
//   - switchObjects: groups and meters (package objects);
//   - ruleTable: the rows (rules.go, rules_index.go), with viewRules, which takes what the view desires
//     (rules_view.go), orders (rules_order.go), those of them with time-outs (rules_mortal.go), ruleBatch, how rows
//     are sent (rules_send.go), and ruleListing, how they are compared with what the switch lists and reports
//     (rules_compare.go, rules_drift.go);
//   - batcher: the batches in flight, with the pace;
//   - notices: what the switch reports unasked (watch.go);
//   - checks: requests for findings.
//
// # Pace
//
// What an owner waits for is what lies at the switch already, whoever goes first in the queue. So batches are as
// small as they can be without the switch doing less (pace), and where another full one waits behind it, two are
// in flight. No barrier takes longer than Config.Barrier for long.
//
// # Invariants
//
//   - Status installed means: a barrier reply, the switch's own listing or its flow monitor has confirmed this
//     content in this session or an earlier one, and nothing later contradicts it. Losing a session does not
//     change it: a switch without its controller keeps forwarding.
//
//   - At most two batches are in flight to a switch, the second of rules only, and a row is in one of
//     them. Changes meanwhile are kept as state: the latest wins, intermediate ones are never sent. Between readings,
//     rules and removals of a class of owners that neither are tried again nor wait for groups or meters are sent
//     in the order in which they were requested; those of one change are confirmed by the same barrier if nothing of
//     their class waits before them and they fit into a batch (SwitchStatus.BatchSize).
//
//   - Groups and meters of rule sets are confirmed before the rules that use them are sent, and deleted after the
//     entries that used them are gone. A meter of the view that the switch has lost may be sent after its rules,
//     which the switch then refuses and which are sent again. Where a switch refuses one, the rules of rule sets
//     that use it are refused; rules of the view are installed without their meter, and their Reason says so.
//
//   - Entries are deleted only by strict deletions that name one entry, restricted, where the
//     version can, to our own cookies.
//
//   - An order to install is answered Installed or Refused, and after Installed, Lost and Installed again by turns as
//     the switch does. One for a rule with time-outs may be answered Ended at last: its entry has ended by one, as
//     far as is known, and it is not put back (rules_mortal.go). An order to remove is answered Removed once: when
//     the switch has confirmed it or lists nothing, when another order for the place supersedes it, or when the
//     switch is gone for good.
//
// Soft rules of this run are app/forward's and are not known here (docs/design/0001-soft-rows.md).
package flowsync
