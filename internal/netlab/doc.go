// Package netlab runs real networks for tests: Open vSwitch with its userspace datapath, hosts in
// network namespaces, cables that can be cut, Mininet, and the weir binary that is to control them.
//
// # The problem
//
// A real network is global state of a machine: interfaces, one Open vSwitch database, processes
// that outlive the test that started them. Tests must neither see the machine's own network nor
// leave anything behind.
//
// # Inputs and outputs
//
// Inside runs a test's body in mount, network and process namespaces of its own, as their first
// process: when it ends, however it ends, the kernel ends every process and removes every interface
// it made. The body gets a Lab, adds an Open vSwitch, bridges, hosts and cables to it, by hand or
// from a Topology or by Mininet, and observes: pings with exact counts of loss, and the number of
// copies in which a broadcast reaches each host.
//
// # Invariants
//
//   - Nothing outside the namespaces is changed, apart from files in the test's temporary folder.
//   - Open vSwitch here has only the userspace datapath and fail_mode=secure: what is forwarded, a
//     controller has asked for.
//   - Bridges are joined by veth pairs, not patch ports, because patch ports send no port status.
package netlab
