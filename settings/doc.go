// Package settings is what operators say of a running instance: its configuration, and what is
// drained.
//
// # The problem
//
// A configuration comes from four places, flags, a file, weir apply and defaults, and the last one
// that spoke holds. It changes while the instance runs, must outlive it, and must never be one with
// which the instance would not start again. A part of it is the network's, which all instances on the store have
// in common, and each of them may say something of that; the other is this instance's. The store may be slow,
// silent, or say nothing of what became of a write.
//
// # Inputs and outputs
//
// Load reads what is kept, Check splits what an earlier version kept in one, lays flags, file and what is kept
// together, and refuses what is wrong with an *Error. Join makes it the owner of the view's settings; Run follows signals and
// changes whose outcome is open. Settings is the API's Configuration, and Drains its drains.
//
// # Who owns what
//
// Settings alone sets the view's settings and writes what config.Store keeps: the state in the store, which other
// instances have too, and the part in the data directory. Changes follow one
// another: who has the turn may change something. The mutex is never held while the store is waited
// for.
//
// # Invariants
//
//   - What is in force is what the store has, or the change before it, whose outcome is open; no
//     change follows one whose outcome is open.
//   - A refused change changes nothing; of one that concerns both parts both are kept, or none.
//   - What another instance said of the network is replaced only by who says something else of it now: a text that is
//     applied, or a file that has changed.
package settings
