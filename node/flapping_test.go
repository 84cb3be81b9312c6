package node_test

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// TestFlappingSwitchesLeaveNothing: a hundred switches connect and vanish again and again. When
// they stay away, as many goroutines run as before the first came, and the memory in use is what it
// was after the first time.
func TestFlappingSwitchesLeaveNothing(t *testing.T) {
	versions(t, func(t *testing.T, v openflow.Version) {
		i := start(t, quietly, func(c *node.Config) { c.Log = slog.New(slog.DiscardHandler) })
		before := runtime.NumGoroutine()
		var first int64
		const rounds, switches = 20, 100
		for round := range rounds {
			d := session.NewDialer(session.Config{Versions: []openflow.Version{v}})
			for k := range switches {
				if _, err := d.Dial(t.Context(), i.at.OpenFlow, &session.Roles{}, hub.Switch(k+1)); err != nil {
					t.Fatal(err)
				}
			}
			i.await("all switches", func() bool { return i.connected() == switches })
			if err := d.Close(context.Background()); err != nil {
				t.Fatal(err)
			}
			i.await("their end", func() bool { return i.connected() == 0 })
			if round == 0 {
				first = inUse()
			}
		}
		i.await("the goroutines' end", func() bool { return runtime.NumGoroutine() <= before+idleHTTP })
		grown := int64(0)
		i.await("the memory", func() bool { time.Sleep(100 * time.Millisecond); grown = inUse() - first; return grown < 8<<20 })
		t.Logf("%d goroutines before, %d after %d rounds; %d KiB more in use than after the first", before,
			runtime.NumGoroutine(),
			rounds, grown>>10)
	})
}

// idleHTTP is how many goroutines the API's idle connections may have, at both ends.
const idleHTTP = 8
