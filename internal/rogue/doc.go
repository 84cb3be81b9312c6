// Package rogue makes the messages of controllers that wish others on their switch ill.
//
// # The problem
//
// A tenant's controller may say anything. What it says has to stay with its tenant, whatever it is; and random bytes do not
// find much, since almost all of them are refused at the first look. What comes near to what is allowed does: entries that
// overlap, groups that are there, frames that meet entries, with one thing about them that must not be.
//
// # Inputs and outputs
//
// Controller.Next returns one message after the other: those of the cases of package ofcase, of which some are changed;
// requests about roles, configuration and all else that there is; samples of every message there is, whole and mutated, those
// of the wrong direction too; and now and then bytes that are no message. Step may be a frame instead, that a host of the
// tenant's is to send: it has to do with the entries before. Each frame that a message brings ends with Config.Mark.
//
// # Invariants
//
//   - What comes depends on nothing but the Config.
//   - The mark is whole in all frames that have one, or in none that a mutation has changed.
package rogue
