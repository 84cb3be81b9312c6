// Package loop runs the parts of an instance, each in a goroutine of its own, or has them stepped.
//
// # The problem
//
// An engine (discovery, flowsync, intents …) has a core without clock and goroutines, and around it
// a goroutine that owns the core: it waits until something has come, or a time has, and has the
// core take its turn. The waiting is the same for all, and a simulation needs the same turns
// without the goroutine. So it stands here once.
//
// # Inputs and outputs
//
// A Part says what its turn is and what wakes it: a Bell, which other goroutines ring when they
// have left something for it, a view that changes, a time that its last turn has returned, or a
// beat. Run waits and calls; whoever steps a part asks Waiting, calls Step, and keeps the time that
// it returns.
//
// # Invariants
//
// Turn, Beat, Woken and End are called by one goroutine at a time. What was left before a ring is
// seen by a turn that begins after it: the token is taken before the turn looks. A part that Pulse
// was asked of has a turn soon, unless it hangs.
package loop
