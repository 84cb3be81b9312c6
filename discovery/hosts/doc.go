// Package hosts keeps where hosts are.
//
// # The problem
//
// A host sends packets, at a port that leads to no switch. Anybody can send with its address, and a host that
// really moved must be reached at once. Most packets say nothing new, and must cost next to nothing.
//
// # Inputs and outputs
//
// In: what frames say of their senders (Sighting), what ports become (RoleChanged), sessions and switches that
// end, time. Out: rows of hosts, queries to hosts with the barriers after them, probes for suspicion of a
// loop, alarms. A Tracker reads ports and changes no role and no link.
//
// # Invariants
//
//   - Hosts are at ports that are edges, or blocked; sightings at a port of unknown role wait until it is
//     known.
//   - A host moves only if it is gone from its old location: that port is down, or it does not answer a query
//     there although its switch has processed the query. Where it could not be queried, its old location is
//     checked later.
//   - A host has one open query at most. A query that its session did not accept, or that its switch has not
//     processed, does not count as unanswered.
//   - Only what has a row has an entry in what is kept besides, and in the cache of known sightings, but for
//     claims that are held and sightings that wait.
//   - What others can make grow is bounded by inventory.Limits.
//
// # Parts
//
//   - Rows (hosts.go): the rows, with the ages of addresses.
//   - SeenCache (seencache.go): what is known already. Sessions look it up for every packet-in, without a lock.
//   - Deferred (deferred.go): sightings at ports of unknown role.
//   - queries (queries.go, barriers.go): a host and where it should be → frames and barriers, and how it ended.
//   - Occupancy (occupancy.go): whether hosts are alive at a port where a probe was heard.
//   - moves (moves.go, answers.go, unverified.go): hosts that are seen elsewhere than at their known location.
//   - hostSweeper (expire.go): hosts that are silent for long.
package hosts
