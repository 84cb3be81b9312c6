// Package claims has what accepted intents hold, so that no two of them have the same packets, and which of them
// match packets of senders that they do not name.
//
// # The problem
//
// Of two intents with the same packets, in one priority, from one place, a switch serves one. This has to
// be known before the second is accepted, among a million, a hundred thousand times a second. And a rule on
// a link between two switches matches packets of any sender: an intent that names its sender by an address
// takes the packets of a host elsewhere that has the address, or gets it later.
//
// # Inputs and outputs
//
// Claims is told which intent holds what its content says (Hold, Release), and of the hosts of the network
// (Learn). Other names the intent that holds packets of a spec already; Wide lists the intents
// that take packets of other senders.
//
// # Invariants
//
//   - An intent holds all claims of its accepted content, or none.
//   - What is kept of hosts is bounded by the hosts that there are, however many have had an address.
//
// The package is pure. A Claims has one owner at a time.
package claims
