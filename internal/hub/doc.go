// Package hub is the least controller under which hosts reach each other, for tests of what emulates networks: it has every
// switch flood whatever comes. It listens on TCP on loopback. Loops in the network are not for it.
package hub
