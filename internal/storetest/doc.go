// Package storetest is what every store is held to.
//
// # The problem
//
// Simulations and most tests run on the twin in memory, instances on etcd. What the twin promises
// and etcd does not keep is found by nobody until it is lost. So there is one suite, and every
// store passes it.
//
// # Inputs and outputs
//
// In: what makes an empty store. Out: a test fails that names what is not kept. Nothing of it
// depends on times, save that leases end.
package storetest
