// Package node is the composition root: it turns a configuration into a running instance.
//
// # The problem
//
// Engines do not import one another; each declares the little it needs of others. Here, and only
// here, they are joined, in the order in which the data flows: sessions bring messages, discovery
// turns them into facts of the view, applications turn the view into rules wanted, flowsync makes
// the switches hold them, and the API shows it all.
//
// # Inputs and outputs
//
// Run takes a Config and runs an instance until its context ends. What is wrong with the
// configuration is a ConfigError, found before anything is opened.
//
// # Invariants
//
//   - One process uses a data directory at a time.
//   - Everything that Run started has ended when it returns, within two seconds of its context's
//     end.
//   - A fault of one switch's session ends that session and nothing else.
package node
