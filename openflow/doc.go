// Package openflow turns OpenFlow messages into bytes, bytes into messages, and both into one
// canonical text.
//
// # The problem
//
// A controller, a hypervisor, an emulator and a load generator all speak OpenFlow 1.0 and 1.3, and
// none of them should know which. So there is one model of a message for both versions, and this
// package is where versions end: what is the same has one field and one name (those of OpenFlow
// 1.3), what only one version can say is refused with ErrVersion by Append for the other.
//
// # Inputs and outputs
//
// Parse reads one whole message. Append writes one. Text prints one on one line. A message that the
// peer must not send is refused with a *DecodeError, which carries the OpenFlow error type and code
// to answer with.
//
// # Invariants
//
//   - Lengths are checked from a table before a body is read; no input makes Parse panic or
//     allocate more than a small multiple of its length.
//   - What Parse accepts, Append writes again byte for byte, except that pads are zero.
//   - A parsed message holds views into the bytes it was parsed from: it is valid as long as they
//     are. Hot messages (PacketIn, PacketOut, FlowMod, FlowRemoved, PortStatus, Echo, Barrier)
//     parse without allocation into a struct that the caller reuses, and append into the caller's
//     buffer.
//   - The package is pure: standard library only, no goroutine, no clock, no I/O.
//
// # How to add a message or an element
//
// One file per message, all versions side by side: its struct, Parse, Append, AppendText; a row in
// the table of table.go with the bounds of its length; a case in newMessage; samples
// (samples_*_test.go), which golden text, round trips, truncations, bad lengths and fuzz targets
// all take as their input.
package openflow
