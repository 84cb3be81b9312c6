package etcd

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirnet/weir/store"
)

// TestNoRoomToBegin: a store that has no room to begin says what to do, and makes no directory.
func TestNoRoomToBegin(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "store")
	_, err := Start(t.Context(), Config{Dir: dir, Reserve: 1 << 61})
	if !errors.Is(err, store.ErrFull) ||
		!strings.Contains(err.Error(), "free some, or take a directory on another disk (--data-dir)") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !os.IsNotExist(err) {
		t.Errorf("it left a directory: %v", err)
	}
}
