// Package twin puts an emulated switch of a profile between two interfaces of this machine, so that
// the probe that measured a switch measures its twin in the same way.
//
// # The problem
//
// A profile is worth what an emulated switch of it does, seen from outside. Between two interfaces
// frames pass two devices of the kernel besides the emulator, and the control channel is a real one:
// what these take must be measured, and the same probe has to do it.
//
// # Inputs and outputs
//
// Start makes devices in a network namespace that only this process holds, attaches an emulated switch
// to them, and has it connect to a controller. Out are interfaces that probe/nic opens. Close ends all
// of it, as the end of the process does.
//
// # Invariants
//
//   - Nothing of the machine's own network is touched, and nobody else sends at the devices.
//   - The n-th interface, from 0 on, leads to port n + 1 of the switch.
package twin
