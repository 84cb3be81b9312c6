// Package traffic makes streams of packets at the ends of a measured path, and follows them at both.
//
// # The problem
//
// A gigabit of 1,500-byte packets is 83,000 packets a second: nobody can keep them, and who waits for
// each one's time is late. A path is to be measured under such a load, too, and the measurement means
// nothing where the load did not reach its rate.
//
// # Inputs and outputs
//
// A Datagrams is a stream of numbered UDP datagrams at a set rate, in fragments where they are longer
// than the MTU: Run sends it, and Taps at the interfaces it passes tell it of what leaves and comes.
// Outcome is what came of it so far. A Meter finds out whether it keeps its rate. A TCP is a transfer
// between two Hosts of Linux's own, each in a network namespace without a name, and a Connection is
// what Taps saw of it.
//
// # Who owns what
//
// A Tap belongs to the goroutine that sees the frames of its interface (probe/nic), and streams may be
// added and taken away from any other. Run belongs to its caller.
//
// # Invariants
//
//   - Memory does not grow with the length of a stream.
//   - A datagram counts where all of its fragments were seen.
//   - A host ends with the process, also by kill -9; nothing of it has to be put back.
package traffic
