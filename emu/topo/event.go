package topo

import "time"

// Event is something that happens to a running network by itself.
type Event struct {
	At time.Duration // after the start of the network
}
