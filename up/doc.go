// Package up is an instance and an emulated network in one process, or a cluster of instances beside
// the network: the demonstration, and the fixture of many tests.
//
// # The problem
//
// Somebody who has just built Weir wants to see a network live, without root, without another
// program, within a second: its switches connect, its links are found, its hosts talk, and the
// page tells when all of that is done.
//
// # Inputs and outputs
//
// Run takes a topology and the configuration of an instance, and runs until its context ends. The
// switches connect by pipes inside the process (package session/pipe), or by TCP. Each host pings
// another, and changes its partner after a while, so that there are always new flows to set up. A
// State comes out once a second: a page for a terminal, a line elsewhere; and once, when every
// switch is connected, every link found both ways and every host has answered, an announcement of
// how long that took.
//
// Then, with Config.Intents, the instance is asked over its API for intents between pairs of hosts;
// when all are installed their hosts ping each other, and links are cut and restored. The State
// counts the intents by state, from the API's events, and the packets sent over them and lost.
//
// With Config.Cluster the instances are processes (package cluster/local), and the switches connect to
// all of them. They are killed and started again by what is typed, or by the clock. What the owner
// knows is asked for over its API, and events are followed at whoever is it.
//
// # Invariants
//
//   - What is shown is counted, not assumed: switches, links and hosts in the view of the instance,
//     answers at the hosts, flows in the switches' tables.
//   - A network that is taken down again leaves nothing behind: a data directory that nobody asked
//     for is removed.
//
// cluster.go decides who is killed and started again, and is pure too; cluster_loop.go does it.
// page.go prints a State, pings.go chooses who pings whom, intents.go draws the intents and keeps
// their states: all three are pure. loop.go and intents_loop.go own the goroutines.
package up
