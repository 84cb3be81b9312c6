//go:build real && long

package netlab

// networks are those of `make test-all`.
var networks = []string{"linear:4", "linear:12", "ring:5", "ring:12", "tree:2,3", "tree:3,3", "torus:3x3", "torus:4x5"}
