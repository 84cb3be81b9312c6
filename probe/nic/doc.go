// Package nic makes interfaces of Linux instruments: what goes by them, either way, with the times
// that the kernel or the hardware took.
//
// # The problem
//
// A program that reads the clock when it has got a frame measures itself. The kernel takes a time
// when a frame is handed to the driver and when it comes from it, and some hardware takes it at the
// wire; but the stamps of sent frames come by another queue, some frames are seen merged, cut or
// without their tags, and when the program is too slow the kernel drops what nobody has read.
//
// # Inputs and outputs
//
// Parse reads what a user asks for, "eth1,netns=h1". Open makes a NIC of it, or ends with a
// probe.Refusal. Watch gives each frame that goes by with its Stamp; Send, SendAll and SendTrain send
// some, which are seen like any others. Counters say what was lost. Cable makes a pair of interfaces
// joined to each other.
//
// # Who owns what
//
// A NIC has one goroutine, started by Watch in loop.go, which calls the function that sees frames.
// Send may be called from any goroutine, and from that function.
//
// # Invariants
//
//   - Each frame has a stamp of one clock, that of Stamps, or is counted as lost.
//   - Offloads that make frames other than on the wire are switched off while the NIC is open, and
//     what was changed is noted in a file before it is: Close puts it back, and after kill -9 the
//     next Open of any interface does.
//   - An interface is one NIC's at a time, of any process, unless it is opened as it is.
package nic
