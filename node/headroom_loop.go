package node

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The collector of Go lets as much garbage gather as there is that lives, so an instance that holds a million intents would take twice the memory that
// they need. Here garbage may be as much as what lives up to ampleHeap, and of what is above it an eighth: a large instance collects more
// often, and stays small. Who sets GOGC decides for himself; GOMEMLIMIT holds in any case.
const (
	ampleHeap    = 256 << 20 // bytes
	heapShare    = 8
	headroomTurn = time.Second / 4 // a heap that is being filled grows fast
)

// headroom is how much garbage may gather beside so many bytes that live, in percent of them.
func headroom(live uint64) int {
	if live <= ampleHeap {
		return 100
	}
	return int(100 * (ampleHeap + (live-ampleHeap)/heapShare) / live)
}

// keepHeadroom follows what lives.
func keepHeadroom(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	turn := time.NewTicker(headroomTurn)
	defer turn.Stop()
	now := headroom(0)
	defer debug.SetGCPercent(now) // it is the whole process's
	for {
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
		metrics.Read(live)
		if want := headroom(live[0].Value.Uint64()); want < now-now/16 || want > now+now/16 { // it stops everybody for a moment
			now = want
			debug.SetGCPercent(now)
		}
	}
}
