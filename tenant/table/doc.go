// Package table is the table of tenants' definitions: durable, changed while an instance runs, and free of contradictions.
//
// # The problem
//
// Operators add, change and delete tenants while an instance runs, and what they have been told is kept must be there after
// a restart. Two tenants must never have the same packets at the same port, whoever changes what at the same time. The
// number of a tenant is in the cookies of its rules: rules that outlive their tenant must not be taken for those of another.
//
// # Inputs and outputs
//
// Load reads the table from the store, and Run follows it there, as what writes it may be another instance. Put and Delete
// change it. Snapshot is what is in force, and OnChange has a function told of each change to that.
//
// # Durable form
//
// Each tenant is a pair of the store: the key is "tenants/" and its name; the value is a line, "weir-tenant 1 sha256 " and
// the SHA-256 of what follows in hexadecimal, and an object in JSON: the fields of client.TenantDefinition, and
//
//	id       of this tenant, and of no later one of its name: what is bound to it (a token) is not bound to that
//	created  when
//	by       who made it: the name of a token
//
// The key "tenants" has, in the same form ("weir-tenants 1 sha256 "), the numbers: of each tenant by its name, and those
// that are free again, the one that has been so for the longest time first. Each transaction that changes a tenant changes
// this pair too, and is done only if nobody has changed it since: so what a definition was checked against is what is in the
// store. A number is assigned that no tenant ever had, or else the one that has been free for the longest time.
//
// A record with a further field, of another version or that is damaged is not in force, nor is one that contradicts a tenant
// of a lower number. It is listed with what is wrong, with an alarm, keeps its number and can be deleted; the others go on.
//
// # Invariants
//
//   - What Snapshot returns is not changed any more, and contradicts itself nowhere.
//   - A definition is in force when the store has it, and not before.
//   - The number of a tenant does not change.
//   - Functions of OnChange are called one at a time, in the order of the changes, under no lock, first with what Load found.
package table
