//go:build real && long

package netlab

import "time"

// networks are those of `make test-all`.
var networks = []string{"linear:4", "linear:12", "ring:5", "ring:12", "tree:2,3", "tree:3,3", "torus:3x3", "torus:4x5"}

// How long no instance is alive, and how often one is killed and started again: long enough, each time, for every soft
// rule that is not used to have run out.
const (
	deadFor       = 10 * time.Minute
	restarts      = 20
	deadInRestart = 95 * time.Second
	mutations     = 300 // of each message
)
