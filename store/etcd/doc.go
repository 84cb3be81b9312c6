// Package etcd is a store on etcd: a member in this process, or a remote cluster.
//
// # The problem
//
// What is durable must survive many kinds of faults; etcd has been tested for those for a decade.
// But it wants ports, writes logs of its own, ends the process when its disk is full, and after its
// quota was reached accepts no writes until an operator intervenes.
//
// # Inputs and outputs
//
// Start runs one member in this process, in a directory; its client calls functions. Without a Peer it stays alone, and
// has no port. With one it can be joined by others, or joins: one port carries what members say to each other, and
// requests to Cluster.Serve's handler. Dial connects to a cluster by URLs. All are a store.Store through the same client.
//
// # Invariants
//
//   - A member has no vote before it has what the others have. One that lost its files is a new member.
//   - A transaction that returned no error was fsynced, by more than half of the members with a vote.
//     A failed fsync ends the process, at once, in
//     etcd: it is never retried on pages that the kernel may have dropped.
//   - An error after which the transaction may have been done is store.ErrUnknown.
//   - Before the disk is so full that etcd would end the process, writes are refused
//     (store.ErrFull), and accepted again when there is room. The same holds for the quota, after
//     compaction and defragmentation.
//   - etcd's logs go to the given logger: warnings and errors as debug, fatal ones as errors.
//
// Goroutines of its own: see loop.go.
package etcd
