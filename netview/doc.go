// Package netview holds the network view: the tables of what the network is and what is desired of
// its switches.
//
// # The problem
//
// Many read the view, at any time and from any goroutine: applications on a packet's way, the API,
// engines that derive other rows. A reader must never wait for a writer, must see an update whole
// or not at all, and must be able to learn what changed since it looked last.
//
// # Inputs and outputs
//
// The tables are persistent: a transaction changes working copies that share all they can with what
// is published, and one atomic store publishes the result as a Snapshot with the next Revision.
// Readers take snapshots, without a lock. Watchers wait on Changed and read Changes, a bounded log;
// one that is too slow is told to take a snapshot again, and slows nobody.
//
// Each table has typed writers, and only these:
//
//   - Facts (one for each source; discovery has one): switches with their ports, links, hosts, and
//     whether the source has settled. Each row carries its source, and FactSource says which of
//     several rows is shown.
//   - Desired (one for each application): firm rules and meters desired on switches, put and deleted
//     one by one or all of a switch at once. Each rule carries the revision since which it is desired.
//   - Status (one for each instance; flowsync has it): the status of each desired rule, with the instance
//     that reported it. That of a switch's master counts.
//   - Masters (southbound): which instance is master of which switch.
//   - Inputs (the configuration): Settings, what operators configure of the network.
//   - Alarms (package alarm): what operators should know of.
//
// # Invariants
//
//   - Masters and settings of switches, ports and links are applied to their rows as soon as either changes.
//   - Rows are immutable once published. Pointers to them are shared: nobody changes a row in
//     place.
//   - The revision grows by one with every transaction that changed something.
//   - A link is never Up unless both its ports exist and are up; links and hosts belong to a switch
//     that exists. The commit enforces it.
//   - Of each switch, link and host the row of the source that takes precedence is shown. Links and hosts
//     of one source do not contradict the roles of ports that another one gives: such a link is not up,
//     and such a host is not there. The commit enforces it.
//   - At most one rule is desired on a switch for each (table, priority, match): the first owner to
//     desire it keeps it.
//
// Snapshot.Check verifies all of them; tests run it after everything they do.
package netview
