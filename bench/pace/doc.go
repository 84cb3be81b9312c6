// Package pace lets time pass: how a generator waits.
//
// # The problem
//
// The timers of Go's runtime may be a millisecond late where nothing else happens, and who sleeps
// waits for a processor when its time has come. A generator that is to send at 100,000 times a
// second, or to see an answer when it is there, needs better; one that only polls does not.
//
// # Inputs and outputs
//
// Wait and Until are for whoever may be a millisecond late, Nap for whoever may not; Urgent has a
// goroutine run before everything else on the machine.
package pace
