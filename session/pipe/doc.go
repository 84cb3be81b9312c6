// Package pipe provides connections inside one process: a net.Conn that costs neither a file nor a
// system call.
//
// # The problem
//
// An instance and an emulated network of thousands of switches run in one process. A TCP connection
// would cost each switch two open files and the buffers of the kernel; net.Pipe has no buffer at
// all, so that two ends that both write would wait for each other for ever. Tests of loops need a
// peer at the other end of a byte stream, time that they control and faults that they choose.
//
// # Inputs and outputs
//
// New makes the two ends of a connection, with a bounded buffer and a delay in each direction. A
// Listener gives far ends to a server, as one of TCP does; its Dial gives the near ones. What is
// written at one end is read at the other, in order. Close lets the peer read what was written
// before, and then io.EOF. A partition holds bytes back until it is healed; a cut is a loss, as
// with TCP: both ends get an error at once.
//
// # Invariants
//
//   - A direction holds at most Options.Buffer bytes; a write above it waits, TryWrite takes what
//     there is room for.
//   - An idle connection holds no buffer: memory comes with bytes and goes when they have been
//     read.
//   - All calls may come from any goroutine; each direction has one lock.
//   - Nothing waits but on sync.Cond and timers: under testing/synctest a blocked reader counts as
//     idle and a delay passes in no time.
//
// There is no goroutine in this package but those of timers.
package pipe
