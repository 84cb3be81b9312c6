package need

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// ofRuntime is how many goroutines the runtime may begin by itself during a test: for finalizers and cleanups, the
// first time there are any. Those that collect garbage are there before.
const ofRuntime = 4

// OneGoroutine returns when the race detector is off: it finds nothing in a test of one goroutine, and takes ten times
// as long for it. `make test` runs a file whose tests call it a second time, without. There a test that begins more
// goroutines than the runtime may fails; each subtest is one, and calls it itself.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if race {
		t.Skip("of one goroutine: runs without the race detector")
	}
	runtime.GC()
	before := begun()
	t.Cleanup(func() {
		if n := begun() - before; n > ofRuntime {
			t.Errorf("%d goroutines were begun: without need.OneGoroutine the race detector sees them", n)
		}
	})
}

// begun is how many goroutines were begun since the program was.
func begun() uint64 {
	sample := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
