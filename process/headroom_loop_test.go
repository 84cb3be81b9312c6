package process

import (
	"context"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// forced is how many collections were asked for so far.
func forced() uint64 {
	s := []metrics.Sample{{Name: "/gc/cycles/forced:gc-cycles"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestMemoryGoesBackAfterAStart: what is in memory for long is given back once, when that ends; what is there for
// a moment is not.
func TestMemoryGoesBackAfterAStart(t *testing.T) {
	t.Setenv("GOGC", "")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var busy atomic.Bool
		go KeepHeadroom(ctx, busy.Load)
		for _, c := range []struct {
			turns int
			want  uint64
		}{{longBusy / 2, 0}, {longBusy + 2, 1}, {longBusy / 2, 0}} {
			before := forced()
			busy.Store(true)
			time.Sleep(time.Duration(c.turns)*headroomTurn + headroomTurn/2)
			if got := forced() - before; got != 0 {
				t.Errorf("busy for %d turns so far: memory is given back %d times", c.turns, got)
			}
			busy.Store(false)
			time.Sleep(3 * headroomTurn)
			synctest.Wait()
			if got := forced() - before; got != c.want {
				t.Errorf("after %d busy turns memory is given back %d times, want %d", c.turns, got, c.want)
			}
		}
		stop()
	})
}
