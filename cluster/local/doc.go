// Package local runs a cluster on this machine: instances as child processes, on loopback, which are killed and
// started again.
//
// # The problem
//
// What a cluster does when an instance dies can be seen only if one dies: a process, by SIGKILL, without a word. The
// demonstration and the benchmark both need a cluster for that, and nothing of it may be left when they end.
//
// # Inputs and outputs
//
// Start takes a number of instances, a directory, and addresses, or finds ports that nobody listens at. The first
// instance is started, the others join it. Each may be killed, ended and started again, with the directory and
// addresses that it had. Members is what the instances that live say of all.
//
// # Invariants
//
//   - Processes are signalled by their ids, and only those that were started here.
//   - Close ends all of them and waits. They end with this process, however it ends (PDEATHSIG).
//   - What an instance says is in DIR/NAME.log; DIR/NAME is its data directory.
package local
