// Package referee watches the switches of an emulated network that has several controllers: who is the master of each,
// by which generation, since when, and whose writes they accept.
//
// # The problem
//
// Whether an instance that has lost its switches still writes to them cannot be learned from any instance. It has to be
// seen where it would do harm, by somebody who shares neither code nor opinion with the instances.
//
// # Inputs and outputs
//
// In: the bytes of each control connection as the switch reads and writes them (emu.Control.Capture), of which the
// requests for roles and their answers are read; and each change or packet-out that a switch has done
// (emu.Config.Accepted). Out: for each switch its master and the times since a Mark at which another became it and first
// wrote; the writes that nobody but a master may make, and that were accepted; when the entries about an address came.
//
// # What is stale
//
// A write is stale that a switch accepted from a connection that had not been made its master, or that had been and
// another was since: by the answer to a request for the role of MASTER, as it leaves the switch (OpenFlow 1.3, 6.3.4 and
// 6.3.5). Who has asked for the role, and writes before the answer, is judged by the answer.
//
// # Who owns what
//
// The network's goroutines call in; what is of a switch is guarded by its own lock, which is held for no call.
package referee
