// Package tokens is the table of API tokens that are made, listed and revoked while an instance runs.
//
// # The problem
//
// Who calls the API shows a token. Those of the data directory's files are one for each role, and are
// as old as the directory. People and programs want their own: with a name that the audit log shows, a
// time at which it ends, and a way to take it back at once, from whoever has an event stream open too.
// A copy of the store, such as a backup, must not let anybody in.
//
// # Inputs and outputs
//
// Load reads the table from the store, and Run follows it there, as what writes it may be another
// instance, and ends tokens when their time is over. Add and Remove change it. The Table is the API's
// list of tokens, and the rest.Issued of its gate.
//
// # Durable form
//
// Each token is a pair of the store: the key is "tokens/" and its name; the value is a line,
// "weir-token 1 sha256 " and the SHA-256 of what follows in hexadecimal, and an object in JSON:
//
//	name     as in the key
//	role     viewer, operator, admin or tenant
//	sha256   of the token, in hexadecimal
//	created  when
//	by       who made it: the name of another token
//	expires  from when on it is not valid; left out: it has no such time
//	tenant   of role tenant alone: whose it is
//	tenant_id  and the id of that tenant, which no later one of its name has
//
// A further field means a restriction that a program which does not know it would
// not keep: a record with one, of another version, with another role or that is damaged is no valid
// token. It is listed as unreadable, with an alarm, and can be removed; all else goes on.
//
// # Invariants
//
//   - The token itself is nowhere but in the answer to its creation.
//   - A token is valid when the store has it, and not before.
//   - Once Remove has returned the token is over here, whatever the store has answered; and once it has
//     returned nil, everywhere and for good.
//   - A token of a tenant is not taken once that tenant was deleted, though another has its name.
//   - A check takes no lock, and does not depend on how many tokens there are.
package tokens
