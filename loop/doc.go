// Package loop runs the parts of an instance, each in a goroutine of its own or stepped.
//
// # The problem
//
// An engine (discovery, flowsync, intents …) has a core without clock and goroutines, and a
// goroutine that owns the core: it waits for input, or for a time, and then gives the core its turn.
// The waiting is the same for all, and a simulation needs the same turns without goroutines.
//
// # Inputs and outputs
//
// A Part defines its turn and what wakes it: a Bell, which other goroutines ring after they have
// queued input, a view that changes, the time that its last turn returned, or a beat. Run waits and
// calls; a caller that steps a part asks Waiting, calls Step, and keeps the time that it returns.
//
// An engine that has a little for another need not wake a goroutine for it: Prompt has the other's turn on the
// caller's, if the other rests. Of much it rings: the other then does its share beside. A part that is stepped
// is only rung.
//
// # Invariants
//
//   - Turn, Portion, Beat and End are called by one goroutine at a time: by that of Run, or by one that
//     prompts the part.
//   - A turn that begins after a ring sees the input queued before it: the token is taken before the
//     turn looks.
//   - What a turn of a part that is prompted calls must not wait for any part: it may be on that part's own
//     goroutine.
//   - After Pulse a part has a turn soon, unless it hangs.
package loop
