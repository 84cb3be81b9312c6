//go:build long

package up

import "testing"

// The same on a wide-area mesh of 206 switches: 42,230 pairs.
func TestEveryHostReachesEveryHostOfAMesh(t *testing.T) { everyPair(t, "wan:206") }
