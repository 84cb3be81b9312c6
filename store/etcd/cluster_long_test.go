//go:build long

package etcd

import (
	"testing"

	"github.com/weirnet/weir/internal/storetest"
	"github.com/weirnet/weir/store"
)

// TestClusterSuite: a store of three members does what every store does.
func TestClusterSuite(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return startCluster(t)[1] })
}
