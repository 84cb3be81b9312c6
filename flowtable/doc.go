// Package flowtable is the pipeline of an OpenFlow switch as a pure model: what a switch of
// OpenFlow 1.0 or 1.3 does with flow-mods and with frames.
//
// # The problem
//
// An emulator, a hypervisor and the tests of a controller all need to know what a packet does in a
// switch with certain entries, and they must mean the same by it. So there is one model of it,
// complete in what it takes, and quick: an emulated network of thousands of switches runs on it,
// every frame of every hop.
//
// # Inputs and outputs
//
// A Switch takes the messages of a controller that change or ask for its state (FlowMod, GroupMod,
// MeterMod, PortMod, TableMod, PacketOut, Multipart), frames (Receive) and the time (Expire). What
// comes of them goes to an Output during the call: frames to send, packet-ins, flow-removed, port
// statuses. A message that a switch must refuse changes nothing and gives an *Error with the code
// of the specification. Time is an argument, measured since any instant that the owner likes. It
// never goes backwards: what comes with an earlier time than the call before happens at that one's.
//
// Decision.Receive is Receive for an owner that wants to know which bits of a frame decided what became of it: all frames
// that agree in these match the same entries.
//
// # Invariants
//
//   - The look-up is by tuple space: the entries of a table that have the same mask are in one hash
//     table. Its cost grows with the number of masks, not of entries, and an exact cache of its
//     results stands before it.
//   - Receive allocates nothing.
//   - Nothing of a message or of a frame is kept after the call, but copies.
//   - What a Switch gives an Output, and the bodies that Multipart returns, are valid until the
//     next call of a method.
//   - An Output does not call the Switch back.
//   - Check holds after every call.
//
// How the specification was read where it is unclear is in docs/spec/flowtable.md. A Switch is not
// safe for concurrent use.
package flowtable
