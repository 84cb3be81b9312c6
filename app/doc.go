// Package app is what an application needs to know of an instance, and what an instance needs to know
// of it.
//
// # The problem
//
// Who writes an application wants to count, watch, answer or send, and not to know how an instance is
// put together; and an instance must go on when the application panics, never returns, or sends without
// end.
//
// # Inputs and outputs
//
// A Spec names an application and makes it from an Env. What else it wants it says by the interfaces
// below App: sessions of switches, packet-ins by a filter, flow-removed messages, errors, changes of the
// view, settings, periodic work, routes of the API. New makes a Host of a Spec: it has a loop.Part, a part in
// switches' sessions (southbound.App) and routes, which the composition root hands on. Watch is the
// loop.Part that finds hosts whose application does not return.
//
// An application that has to see a packet before the next one is handled, or to consume it, implements
// southbound.App instead, and runs on the goroutines that read from switches. Of those only a panic is
// contained (southbound.Containment).
//
// # Who owns what
//
// All calls of one application come from one goroutine, that of its Host's part, one at a time and in the
// order in which things happened. What readers of sessions, and requests, have for it waits in the
// host's mailbox, which is bounded.
//
// # Invariants
//
//   - No goroutine but the host's waits for an application, but a request to its routes, for AnswerLimit.
//   - After a panic an application is called no more, and an alarm says so (app-failed). Until it returns
//     from a call that takes longer than StallLimit an alarm says that (app-stalled).
//   - What does not fit into the mailbox is dropped and counted; beginnings and ends of sessions and of
//     mastership, and settings, are never.
//   - An application sends no more than OutputRate messages a second to one switch, and leaves three
//     quarters of a session's queue to others.
package app
