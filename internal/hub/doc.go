// Package hub is the least controllers under which hosts reach each other, for tests of what
// emulates networks: Hub has every switch flood whatever comes; StartReactive runs the controller of
// package probe/controller. They listen on TCP on loopback. Loops in the network are not for them.
// Switch is the least switch, and StartNetwork an emulated network under a Hub.
package hub
