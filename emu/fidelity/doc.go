// Package fidelity is how well an emulated network keeps the times that it promises, and why it does not.
//
// # The problem
//
// An emulator in real time promises that a frame arrives 5 ms later, or that a rule is in force after 200 ms. When the
// machine has too much to do, or gives the process no time, what is measured is the machine, and nobody sees it in the
// results. So each run has to say by itself whether its times were kept, and what was lacking if not.
//
// # Inputs and outputs
//
// Each engine has a Meter: it records what came due and how late, how long something waited for its turn, and when the
// engine rests. Of makes a Report of all: a distribution, whether every second of the last ten was kept, and else
// since when, by which criterion, and what the worst engine lacked. Time is an argument, the age of the network.
//
// # Invariants
//
//   - A second is judged once, when it is over, by what it holds and by the window that it ends (criteria.go).
//   - The memory of a Meter does not grow, whatever is recorded.
//   - A Meter may be read while it is written: each call takes its lock, shortly.
package fidelity
