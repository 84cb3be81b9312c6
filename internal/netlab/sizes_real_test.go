//go:build real && !long

package netlab

import "time"

// networks are those of `make test`.
var networks = []string{"linear:4", "ring:5", "tree:2,3", "torus:3x3"}

// How long no instance is alive, and how often one is killed and started again.
const (
	deadFor       = 2 * time.Minute
	restarts      = 6
	deadInRestart = 3 * time.Second
	mutations     = 10 // of each message
)
