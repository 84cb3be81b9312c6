//go:build long

package node_test

import "testing"

// TestKilledOften is TestKilledUnderRequests with many kills, and a look at the switches after
// each.
func TestKilledOften(t *testing.T) { killedOften(t, 100, true) }
