// Package failmode finds switches that empty their tables by themselves while they have no
// controller, as Open vSwitch does with fail_mode=standalone.
//
// # The problem
//
// No message of OpenFlow says so. The evidence is a switch that comes back without any of the
// firm entries of ours that it held, though its ports have been there for longer than it was away: it was
// not started anew. OpenFlow 1.0 does not tell how old ports are; there such a switch looks like one that
// was.
//
// # Inputs and outputs
//
// Watch is an application (southbound.App). Listed tells it of a switch that was read for the first
// time in a session. Out: the alarm fail-mode, which ends when the switch comes back with its
// entries.
//
// # Who owns what
//
// Methods may be called from any goroutine. At most maxAway switches that are away are remembered.
package failmode
