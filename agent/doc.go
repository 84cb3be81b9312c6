// Package agent is the switch's end of one OpenFlow connection: what a switch answers to a controller, and what it tells it
// unasked, out of its tables (package flowtable).
//
// # The problem
//
// An emulated switch and a tenant's switch must answer a controller alike. What that takes is more than tables: requests in
// several parts, answers that do not fit into one message, messages that a controller has asked not to get, errors with the
// code that the specification wants, and bounds for a controller that does not read.
//
// # Inputs and outputs
//
// An Agent gets the messages of a session that the session does not handle itself (Message), and answers them by what a
// Switch gives it: the tables, while nobody else uses them. PacketIn, FlowRemoved and PortStatus send what the controller
// wants of these by its role, and by what it has asked for. FLOW_MOD and PACKET_OUT are the owner's: what they do besides
// changing the tables differs.
//
// # Invariants
//
//   - Each request has one answer, or one error, whatever the controller sends.
//   - Memory is bounded: parts of requests by maxPartial, what waits for a controller by the session's queue, packet-ins in
//     it by maxAsync.
//   - No answer keeps the tables from others for longer than one part of it takes.
package agent
