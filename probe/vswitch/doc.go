// Package vswitch starts an Open vSwitch for a measurement, with interfaces that lead to its ports.
//
// # The problem
//
// A switch is compared with one that everybody has. Such a one should be there for the measurement
// only, touch nothing of the machine, and be gone after it, whatever ends the measurement.
//
// # Inputs and outputs
//
// New makes a network namespace that has no name. Start starts Open vSwitch in it, with its userspace
// datapath and one bridge, which connects to a controller of the same namespace (Inside). Ends are
// interfaces that probe/nic opens; the n-th, from 0 on, leads to port n + 1.
//
// # Who owns what
//
// The processes are ended by Close, or by the kernel when this process ends. The namespace and its
// interfaces end with them. What they write is in a directory of temporary files, which Close removes.
package vswitch
