// Package cluster joins the instances of a cluster: who takes the owner's place when it dies, and what the others are told
// of the network meanwhile.
//
// # The problem
//
// The row of an owner in the store ends 5 s after its death, and an owner's place is to be taken within 100 ms. The
// instances hear each other's heartbeats (cluster/streams), which tell of a death within some ten milliseconds; but who does
// not hear the owner may be cut off from it alone, and several may find it dead at once. And who takes over should know the
// links and hosts of the network at once, and not as they are found anew.
//
// # Inputs and outputs
//
// Start joins an instance to the others: the members come from the store (etcd.Cluster), the owner from its row
// (owner.Claim). When nobody that this instance hears hears the owner, it tells the Claim (Dead), which tries to take
// the row: the first in line at once, each next one a moment later. The lead of the store is asked for in the same way,
// without the store's own election time-out. Facts gives the others what this instance, as the owner, remembers of the
// network (the file of package warmstart); they keep it in their data directories.
//
// # Invariants
//
//   - Who owns is decided by a transaction of the store, and what it writes is fenced by its term
//     (docs/design/0016-terms.md): what is concluded here says only when to try.
//   - What one instance sends never waits for another one.
//   - The facts that an instance keeps are one whole file of an owner's, or what it had before.
package cluster
