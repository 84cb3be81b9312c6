// Package crowd keeps those who came and have not said yet who they are: of all and of each source, in the order in which they came.
//
// # The problem
//
// Whoever listens on an address must bound how many strangers it holds, or a stranger takes all there is. A bound that refuses the newcomer lets who came
// first shut everybody else out; one that ends the oldest does not, because who is no attacker says soon who he is. A share for each source keeps one
// attacker from ending the strangers of other places.
//
// # Inputs and outputs
//
// In: who came, with the address that SourceOf makes a source of; who has said who he is, or went. Out: how many there are, and who is the oldest.
//
// # Invariants
//
//   - Each is in the crowd once, and in the list of its source.
//   - A source without strangers costs nothing.
//   - Adding, removing and finding the oldest cost the same however many there are. It has no lock: its owner has one.
package crowd
