// Package tenant says which part of the network is whose: tenants' definitions, one by one and together, and whether what a
// tenant's controller wants done to packets keeps them in its part.
//
// # The problem
//
// Tenants share switches and links. Whose a packet is must be the same at every switch that it passes, or a tenant's packet
// would become another's on its way; and a controller that may rewrite packets could hand them to others. So the part of
// each tenant is a space of packets that holds for the whole network, spaces that have packets in common are in an order,
// and rewriting is held against them (docs/design/0015-tenants.md).
//
// # Inputs and outputs
//
// Check makes a Definition canonical, or says what is wrong with it. Tenants has definitions that do not contradict each
// other: Put and Delete change them. Space is a tenant's part, as the others leave it: Keeps says whether actions keep
// packets there.
//
// # Invariants
//
//   - Of two tenants that have a packet in common at whatever port, one comes first.
//   - A port of a tenant without regions is of no other tenant.
//   - A read-only region is of no space: no packet is of another tenant because of it.
//   - What Keeps allows never leads a packet of the tenant out of its space. It may refuse what would not.
//
// The package is pure.
package tenant
