// Package up is an instance and an emulated network in one process: the demonstration, and what many tests want.
//
// # The problem
//
// Somebody who has just built Weir wants to see a network live, without root, without another program, in a second: its
// switches connect, its links are found, its hosts talk. And wants to know when all of it has come about.
//
// # Inputs and outputs
//
// Run takes a topology and the configuration of an instance, and works until its context ends. The switches connect by
// pipes inside the process (package session/pipe), or by TCP. Each host pings another, and another one after a while, so
// that there is always something to set up. What is to be shown comes out as a State, once a second: a page for a
// terminal, a line for what is none; and once, when every switch is connected, every link found both ways and every host
// has answered, an announcement of how long that took.
//
// Then, if Config.Intents says so, the instance is asked over its interface for intents between pairs of hosts; when all are
// installed their hosts talk, and links are cut and mended. The State has the intents by their states, as the interface's events
// tell them, and what the hosts have sent over them and lost.
//
// # Invariants
//
//   - What is shown is counted, not assumed: switches, links and hosts in the view of the instance, answers at the hosts,
//     flows in the switches' tables.
//   - A network that is taken down again leaves nothing behind: a data directory that nobody asked for is removed.
//
// page.go says what a State looks like and is pure; talk.go says who talks to whom, wants.go which intents there are to be and what has
// become of them; loop.go and wants_loop.go own the goroutines.
package up
