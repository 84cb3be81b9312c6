// Package etcd is a store on etcd: a member of it in this process, or a cluster elsewhere.
//
// # The problem
//
// What is durable must survive more faults than one would like to think of; etcd has been tested for those for a decade. But it
// wants ports, writes logs of its own, ends the process where its disk is full, and takes no more writes until an operator comes
// when its quota is reached.
//
// # Inputs and outputs
//
// Start runs one member in this process, in a directory, without any port: its client calls functions. Dial talks to a cluster by
// URLs. Both are a store.Store through the same client.
//
// # Invariants
//
//   - A transaction that returned no error was synchronised to the disk. A synchronisation that fails ends the process, at once, in
//     etcd: nothing is tried again that the system may have dropped.
//   - An error of which it is not certain that nothing was done is store.ErrUnknown.
//   - Before the disk is so full that etcd would end the process, nothing is taken any more (store.ErrFull), and when there is room
//     again it is, by itself. So where the quota was reached and compaction and defragmentation have made room.
//   - etcd's logs go to the given logger: warnings and errors as debug, what ends the process as an error.
//
// Goroutines of its own: one, that looks at disk and quota (loop.go).
package etcd
