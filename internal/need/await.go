package need

import (
	"testing"
	"time"
)

// Patience is how long a test waits for what must come, on a machine with other things to do.
const Patience = 60 * time.Second

// Await waits until something is so, for Patience at most.
func Await(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %v not yet: %s", Patience, what)
		}
	}
}
