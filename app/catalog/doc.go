// Package catalog has the applications of an instance: one list, and what becomes of each.
//
// # The problem
//
// An application has to be made, disabled, configured, contained, run, counted and shown. Each of these
// is somebody else's: the configuration, the sessions of switches, the loops, the metrics, the API. Wired
// one by one, an application more is a change in each of them.
//
// # Inputs and outputs
//
// The list is in list.go: adding an application is a line there. New makes those that are not disabled,
// of the Engines that they stand on; Schema is what a configuration may say of them. What others need of
// them Apps returns: their parts in switches' sessions, their loops, rows, counters and routes. Configure
// gives them changed settings.
//
// Applications are of two kinds. One of package app runs in a goroutine of its own, behind a mailbox. An
// inline one (southbound.App) is called by the sessions' readers, and made by a function of its own in
// list.go, since it stands on more than an app.Env.
//
// # Who owns what
//
// Apps is made before anything runs, and not changed. Configure is called by one goroutine at a time.
//
// # Invariants
//
//   - A panic of an application that is not vital ends it, with the alarm app-failed, and not the instance.
//   - Applications see packets in the order of the list, those of an instance's own list before others.
package catalog
