//go:build long

package node_test

import "testing"

func TestManyContradictions(t *testing.T) { contradict(t, 5000) }
