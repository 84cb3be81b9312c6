//go:build real && !long

package netlab

import "time"

// networks are those of `make test`.
var networks = []string{"linear:4", "ring:5", "tree:2,3", "torus:3x3"}

// deadFor is how long no instance is alive: longer than any rule that is not used lives in a switch
// (outlet.IdleTimeout, and IdleStep for each further switch of a path, of which there are four at most: 75 s),
// or a neighbour's entry in a host.
const deadFor = 90 * time.Second

const mutations = 10 // of each message

// deadInRestarts is how long it is dead each time when it is killed again and again: not at all, as
// after a crash; as long as pings are rare; and once longer than rules that are not used.
func deadInRestarts() []time.Duration {
	return []time.Duration{0, 3 * time.Second, 3 * time.Second, 80 * time.Second}
}
