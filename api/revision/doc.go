// Package revision says which state of the network an answer shows.
//
// # The problem
//
// A reader that knows something to have happened wants an answer that shows it, and wants to go on after it. Revisions of
// the view and of the intents count from zero in each run of an instance, so that one of before a restart must not be
// taken for one of now.
//
// # Inputs and outputs
//
// A Clock takes the view, and the intents' revisions; it writes a Position as text, opaque to clients, and waits
// until the instance has seen the one that a request asks for (Freshness). The types of answers that carry a
// revision are here too.
package revision
