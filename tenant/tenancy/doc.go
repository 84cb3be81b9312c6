// Package tenancy runs the tenants of an instance on its network: for each tenant and switch a virtual switch, with
// connections to the tenant's controllers.
//
// # The problem
//
// Definitions, switches, ports and links change while tenants work. Each virtual switch has to follow, without a trace at
// others; what a physical switch says has to reach the tenant whose it is, and nobody of Weir's own; and a controller that is
// away, slow or hostile must cost nobody but its tenant.
//
// # Inputs and outputs
//
// Set takes definitions. The part follows the view. As an application of package southbound, in front of all others, it
// claims what is a tenant's: packet-ins of tenants' entries, by their cookie; discovery frames (LLDP) that tenants have
// sent, or that are in their spaces; and whatever comes in of a tenant's space before its switch can tell it from others'.
// Outcomes takes what became of orders, and Counted what switches have counted for tenants' entries, which is asked for by
// Config.Count when a controller wants to know. Orders go to Config.Orders; packets to the switch, by the session's output.
//
// # Who has which ports
//
// A port that leads to another switch is a tenant's only together with the port at its other end: else the virtual switch
// does not have it; nor one that is up and of which discovery has not found out where it leads.
//
// # When a physical switch is away
//
// Its virtual switches keep their tables, as a switch does whose controller is away, and flowsync puts back what is missing
// when it returns. After Patience the controllers lose their connections; they get new ones when it returns.
//
// # When Weir starts again
//
// Load reads the tables of an earlier run before Begin, which makes each virtual switch with its own. Those that cannot be as
// they were are empty, and the state says why (Restart). The end writes what has changed last.
//
// # Invariants
//
//   - What a tenant's space has is nobody else's, Weir's applications included, whatever the switch sends.
//   - Definitions, the view and their changes are handled on the goroutine of the part; packets on that of the session.
//   - A tenant that has been removed has no connection, and its rules are being removed, before its number is used again.
package tenancy
