//go:build long

package sim

import "testing"

// A hundred repetitions of a seed, and a hundred seeds twice.
func TestHashesOfAHundred(t *testing.T) {
	sameHash(t, twoSwitches(1), 100)
	for seed := range uint64(100) {
		sameHash(t, NewPlan(seed+1, Small), 2)
	}
}
