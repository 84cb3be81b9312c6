//go:build long

package etcd

import "testing"

// TestManyDamagedFiles damages files of a member, a thousand in each way.
func TestManyDamagedFiles(t *testing.T) { damages(t, 1000) }
