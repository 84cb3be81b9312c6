package session

import (
	"os"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// TestMain bounds how long a broken session keeps its tests waiting: they take some five seconds on
// a quiet machine, and those against real switches as long again.
func TestMain(m *testing.M) { os.Exit(need.Within(m, 90*time.Second)) }
