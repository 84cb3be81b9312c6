// Package guard is the built-in application that holds back ports which flood the controller with
// packet-ins.
//
// # The problem
//
// Anybody with a cable can make a switch ask the controller as often as it can: packets to and from
// invented addresses, broadcasts, discovery frames. The switch's control channel, the instance's
// reader and all that is behind it are shared with everybody else. The offender must be stopped at
// its port, by the switch, and until the switch has acted its packets must cost next to nothing;
// its neighbours must not notice, and what the switch forwards by itself must go on.
//
// # Inputs and outputs
//
// Gate.Admit is asked for every packet-in, on the goroutine that reads from the switch: it counts,
// and reports whether the packet is to be handled. Ten times a second the core takes the counts and
// decides which ports flood. For those it writes soft rows (docs/spec/switch-plan.md,
// "Protection"): a meter and rows that use it, or, where meters cannot be had, rows that drop.
// Alarms say which ports are held back. In also come flow-removed messages of these rows, errors
// that answer them, and sessions that come and go.
//
// # What is a flood
//
// A port at which hosts may be floods when its packet-ins, over some time, exceed Config.Rate, and
// it sends many times more (Config.Dominance) than a quarter of all such ports do: a network in
// which everybody asks much, after a restart say, is busy and not under attack. Above
// Config.Ceiling a port floods in any case. Discovery frames are counted apart, and flood from
// Config.Probes on: hosts have no business with them.
//
// # Invariants
//
//   - Rows limit what goes to the controller, and never what other rows forward. At a port that
//     leads to another switch only copies are held back.
//   - Every row has a hard time-out and is written again while the flood lasts: with no instance
//     alive it runs out.
//   - A port is let go when the flood has been over for Config.ReleaseDelay, or, where packets are
//     dropped and nobody sees them, when the row's own count at its end says so.
//   - Admit does not block, allocates nothing for a port that was seen before, and takes no lock.
//   - The number of ports that are counted, and of those that are held back, is bounded.
//
// The core (core.go and the nouns beside it) is pure: time and snapshot are arguments. Its loop
// (loop.go) owns it. Its Step takes events and counts apart: the counts are what has come since the
// last step, and no event.
package guard
