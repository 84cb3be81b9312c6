// Package child runs programs beside a measurement, which end with it.
//
// # The problem
//
// A measurement may need another program: an Open vSwitch, an emulated switch in a process of its own.
// That must not outlive it, whatever ends the measurement, and when it ends too early, its last words
// are the reason of the failure.
//
// # Inputs and outputs
//
// Start starts a command; what that prints goes to a file. Ended says whether it has ended by itself.
// Stop asks it to end, and kills it when it does not.
//
// # Who owns what
//
// The child is its owner's, who calls Stop. The kernel kills it when this process ends.
package child
