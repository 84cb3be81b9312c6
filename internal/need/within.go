package need

import (
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"testing"
	"time"
)

// Within runs a package's tests, for its TestMain, and ends them when they take longer than a
// limit: with the stacks of all goroutines, which say what hangs. Where something that tests wait
// for never comes, that is minutes sooner than go test ends them. Benchmarks, fuzzing and
// repetitions have no limit.
func Within(m *testing.M, limit time.Duration) int {
	flag.Parse()
	for name, usual := range map[string]string{"test.bench": "", "test.fuzz": "", "test.count": "1"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != usual {
			return m.Run()
		}
	}
	watch := time.AfterFunc(limit, func() {
		fmt.Fprintf(os.Stderr, "FAIL: the tests are not over within %s: something that they wait for never comes\n", limit)
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 2)
		os.Exit(1)
	})
	defer watch.Stop()
	return m.Run()
}
