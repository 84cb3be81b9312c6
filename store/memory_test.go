package store_test

import (
	"testing"

	"github.com/weirnet/weir/internal/storetest"
	"github.com/weirnet/weir/store"
)

// TestMemory holds the twin to the contract.
func TestMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		m := store.NewMemory(nil)
		t.Cleanup(func() { m.Close() })
		return m
	})
}
