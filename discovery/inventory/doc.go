// Package inventory keeps the switches that discovery knows, their ports, and the links between these.
//
// # The problem
//
// What discovery decides of a port depends on what it knows of its switch, of its links, and of what was
// heard there; each is decided elsewhere. This is what all who decide look at: records, and nothing that
// decides.
//
// # What is here
//
//   - Transaction: the transaction of the view that is open, its time, and what is queued until it has
//     ended: alarms (AlarmQueue) and frames (Outbox), since who takes them has locks of its own.
//   - Schedule: what is done at some time, the earliest first. Of equal times, over all queues of
//     Deadlines, what was added first comes first.
//   - Table: each Device (a switch) with its Ports. The structs embedded in Port and Device belong each to
//     one writer: Probing to package probes, Vacancy to package hosts, Silence, EdgeTime, PastLink and
//     LinkEnds to package discovery. A Link is in the lists of both its ports, or of none.
//   - ControlNetwork: sessions lost at once: whether the network to the switches is suspected, and silence no
//     evidence; whether a switch without a session forwards.
//
// It has one owner, who has the transaction. Only Counts may be read at any time.
package inventory
