// Package wire is what the two machines of a measurement say to each other: messages ⇄ bytes.
//
// # The problem
//
// Where the far end of a path is at another machine, its observations have to come to the near one,
// which asks for them. The two may be of different versions, and whoever reaches the observer's port
// could have it send into somebody's network.
//
// # Inputs and outputs
//
// Write and Read are a message to bytes and back: its length, in four bytes, and JSON. In the order
// of a connection:
//
//	observer → near   Hello     its version and a number that it has drawn
//	near → observer   Proof     its version, a number of its own, and that it has the key
//	observer → near   Proof     that it has the key too, or an Answer's Error
//	near → observer   Question
//	observer → near   Answer    and so on
//
// # Invariants
//
//   - Nothing longer than a limit is read, and nothing is kept that Check has not passed.
//   - The key is not sent: both sides prove that they have it (HMAC-SHA256, RFC 2104, over both
//     numbers). What follows is neither encrypted nor sealed.
//   - Everything is pure: no connection is opened here.
package wire
