//go:build real && !long

package netlab

// networks are those of `make test`.
var networks = []string{"linear:4", "ring:5", "tree:2,3", "torus:3x3"}
