package process

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The collector of Go lets as much garbage gather as there is that lives, so an instance that holds
// a million intents would take twice the memory that they need. Here garbage may be as much as what
// lives up to ampleHeap, and of what is above it an eighth: a large instance collects more often,
// and stays small. Who sets GOGC decides for himself; GOMEMLIMIT holds in any case.
const (
	ampleHeap    = 192 << 20 // bytes
	busyHeap     = 64 << 20  // the same, while much is in memory that goes soon: after a start, with very many intents
	heapShare    = 8
	headroomTurn = time.Second / 4 // a heap that is being filled grows fast
	longBusy     = 8               // turns after which what was in memory meanwhile is given back to the system at once
)

// headroom is how much garbage may gather beside so many bytes that live, in percent of them; ample
// is how much may in any case.
func headroom(live, ample uint64) int {
	if live <= ample {
		return 100
	}
	return int(100 * (ample + (live-ample)/heapShare) / live)
}

// KeepHeadroom follows what lives, until the context ends; busy reports whether some of it goes soon. When that
// has been so for long, as after a start, the memory goes back to the system as it ends.
func KeepHeadroom(ctx context.Context, busy func() bool) {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	turn := time.NewTicker(headroomTurn)
	defer turn.Stop()
	now, busyTurns := headroom(0, ampleHeap), 0
	defer debug.SetGCPercent(now) // it is the whole process's
	for {
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
		metrics.Read(live)
		ample := uint64(ampleHeap)
		if busy() {
			ample = busyHeap
			busyTurns++
		} else {
			if busyTurns >= longBusy { // nobody may allocate for long, so that no collection comes
				debug.FreeOSMemory()
				metrics.Read(live)
			}
			busyTurns = 0
		}
		// it stops everybody for a moment
		if want := headroom(live[0].Value.Uint64(), ample); want < now-now/16 || want > now+now/16 {
			now = want
			debug.SetGCPercent(now)
		}
	}
}
