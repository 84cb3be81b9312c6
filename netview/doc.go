// Package netview holds the network view: every table that says what the network is and what is wanted of it.
//
// # The problem
//
// Many read the view, at any time and from any goroutine: applications on a packet's way, the API, engines that derive
// other rows. A reader must never wait for a writer, must see an update whole or not at all, and must be able to learn
// what changed since it looked last.
//
// # Inputs and outputs
//
// The tables are persistent: a transaction changes working copies that share all they can with what is published, and
// one atomic store publishes the result as a Snapshot with the next Revision. Readers take snapshots, without a lock.
// Watchers wait on Changed and read Changes, a bounded log; one that is too slow is told to take a snapshot again,
// and slows nobody.
//
// Each table has typed writers, and only these:
//
//   - Facts (discovery): switches with their ports, links, hosts, and whether discovery has settled.
//   - Wanted (one for each application): firm rules and meters wanted on switches.
//   - Status (flowsync): how far each wanted rule has come.
//   - Inputs (the configuration): Settings, what operators say of the network.
//   - Alarms (package alarm): what operators should know of.
//
// # Invariants
//
//   - What Settings say of switches, ports and links is in their rows as soon as either changes.
//   - Rows are immutable once published. Pointers to them are shared: nobody changes a row in place.
//   - The revision grows by one with every transaction that changed something.
//   - A link is never Up unless both its ports exist and are up; links and hosts belong to a switch that exists. The
//     commit sees to it.
//   - A switch is wanted to hold at most one rule for each (table, priority, match): the first owner to want it stays.
//
// Snapshot.Check verifies all of them; tests run it after everything they do.
package netview
