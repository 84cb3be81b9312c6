package need

import (
	"sync"
	"testing"
)

// begins is a test that says how it ended when its cleanup is called.
type begins struct {
	testing.TB
	cleanup func()
	failed  bool
	skipped bool
}

func (b *begins) Helper()               {}
func (b *begins) Skip(...any)           { b.skipped = true }
func (b *begins) Cleanup(f func())      { b.cleanup = f }
func (b *begins) Errorf(string, ...any) { b.failed = true }

func TestGoroutinesAreCounted(t *testing.T) {
	for _, n := range []int{0, 2 * ofRuntime} {
		b := &begins{}
		OneGoroutine(b)
		if race {
			if !b.skipped {
				t.Error("not skipped under the race detector")
			}
			return
		}
		var all sync.WaitGroup
		for range n {
			all.Go(func() {})
		}
		all.Wait()
		if b.cleanup(); b.failed != (n > 0) || b.skipped {
			t.Errorf("%d goroutines: failed %v, skipped %v", n, b.failed, b.skipped)
		}
	}
}
