//go:build real && long

package netlab

import (
	"slices"
	"time"
)

// networks are those of `make test-all`.
var networks = []string{"linear:4", "linear:12", "ring:5", "ring:12", "tree:2,3", "tree:3,3", "torus:3x3", "torus:4x5"}

const deadFor = 10 * time.Minute

const mutations = 300 // of each message

// deadInRestarts is how long it is dead each time when it is killed again and again: longer than
// any rule that is not used lives in a switch.
func deadInRestarts() []time.Duration { return slices.Repeat([]time.Duration{95 * time.Second}, 20) }
