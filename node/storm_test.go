package node_test

import (
	"context"
	"net"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// atOnce connects n switches with ids from first on, all at the same time, and waits until they are
// shown.
func (i *instance) atOnce(first uint64, n int) {
	i.t.Helper()
	d := session.NewDialer(session.Config{Versions: []openflow.Version{openflow.V13}})
	i.t.Cleanup(func() { d.Close(context.Background()) })
	before := i.connected()
	var all sync.WaitGroup
	errs := make(chan error, n)
	for k := range n {
		all.Go(func() {
			_, err := d.Dial(i.t.Context(), i.at.OpenFlow, &session.Roles{}, hub.Switch(first+uint64(k)))
			if err != nil {
				errs <- err
			}
		})
	}
	all.Wait()
	if len(errs) > 0 {
		i.t.Fatalf("%d did not reach the instance, the first: %v", len(errs), <-errs)
	}
	i.await("all switches", func() bool { return i.connected() == before+n })
}

// TestManySwitchesAtOnce: all are there, none was shed or refused.
func TestManySwitchesAtOnce(t *testing.T) {
	i := start(t, quietly)
	n := 1000
	if testing.Short() {
		n = 100
	}
	begin := time.Now()
	i.atOnce(1, n)
	t.Logf("%d switches connected and shown after %v", n, time.Since(begin))
	for _, reason := range session.Reasons() {
		if got := i.refusals(reason); got != 0 {
			t.Errorf("%v refused: %s", got, reason)
		}
	}
}

// quietly leaves the probes out, which are another matter.
func quietly(c *node.Config) { c.Discovery.LLDPPeriod = time.Minute }

// besiege opens n connections from several addresses that say nothing, and keeps them open until
// the test ends.
func (i *instance) besiege(n int) {
	i.t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	const sources = 8
	for k := range sources {
		all.Go(func() {
			d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(k+1))}}
			for range n / sources {
				conn, err := d.DialContext(i.t.Context(), "tcp", i.at.OpenFlow)
				if err != nil {
					continue // the instance is busy: the next one
				}
				mu.Lock()
				open = append(open, conn)
				mu.Unlock()
			}
		})
	}
	i.t.Cleanup(func() {
		for _, conn := range open {
			conn.Close()
		}
	})
	all.Wait()
	if len(open) < n*9/10 {
		i.t.Fatalf("only %d connections of %d could be opened", len(open), n)
	}
}

// TestHalfOpenConnectionsKeepNobodyOut: what is too much is shed, and counted; a switch that
// connects among them gets its session, one that has one keeps it.
func TestHalfOpenConnectionsKeepNobodyOut(t *testing.T) {
	i := start(t, quietly)
	i.atOnce(1, 1)
	memory := inUse()
	i.besiege(10_000)
	begin := time.Now()
	i.atOnce(2, 1)
	t.Logf("a switch connected and shown after %v; %d KiB more in use", time.Since(begin), (inUse()-memory)>>10)
	i.await("the rest shed", func() bool {
		return i.refusals("shed")+i.refusals("handshake_timeout") >= 9000-session.DefaultMaxHalfOpen
	})
	if i.connected() != 2 || i.refusals("too_many") != 0 {
		t.Errorf("%d switches connected, %v refused", i.connected(), i.refusals("too_many"))
	}
}

// inUse is the memory of heap and stacks, both ends' of it.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
