//go:build real && long

package etcd

import "testing"

// TestPowerIsCutOften is TestPowerIsCut, and of several, 300 times each.
func TestPowerIsCutOften(t *testing.T) {
	t.Run("one", func(t *testing.T) { cutPower(t, 1, 300, func(int) bool { return true }) })
	t.Run("three", func(t *testing.T) { cutPower(t, 3, 300, func(round int) bool { return round%3 == 2 }) })
}
