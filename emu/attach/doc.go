// Package attach makes devices of the machine the outside of emulated networks: TAP devices and
// veth pairs, so that ping, iperf3, a container or a real Open vSwitch is a host or a neighbour of
// emulated switches.
//
// # The problem
//
// An emulated network is believed when programs that know nothing of it use it and measure it.
// Linux gives such programs interfaces; somebody has to carry frames between an interface and a
// port, have the carrier of the one follow that of the other, and leave nothing behind, however the
// process ends.
//
// # Inputs and outputs
//
// Parse reads what a user asks for, "s1=tap1,netns=h1,address=10.0.0.100/24". Open makes the
// Device; the errors say what was missing (root, /dev/net/tun, the namespace) and what to do. A
// Cable joins a Device and a port: it is the port's outside, and gives the port what the machine
// sends.
//
// # Who owns what
//
// A Cable has four goroutines, all started in loop.go: one reads the device, as many frames at a
// time as there are; one writes it, from a queue that the network fills without ever waiting; two
// have the carriers follow each other. Close ends them.
//
// # Invariants
//
//   - The network is never held up: a frame that does not find a place in the queue, or that the
//     device refuses, is counted as lost.
//   - A device ends with the process, also when that is killed: a TAP device is not persistent, and
//     the near end of a veth pair is in a network namespace that only this process holds. A TAP
//     device that was there before (ip tuntap add) stays, as it was.
//   - A device that is set down takes the carrier from its port, and a port without carrier takes
//     it from the device.
//
// All devices are Linux's; elsewhere Open refuses.
package attach
