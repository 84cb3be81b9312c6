package owner

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/store"
)

// eager is a connection that counts what is written to it, and takes all of it at once.
type eager struct {
	net.Conn
	wrote atomic.Int32
}

func (c *eager) Write(p []byte) (int, error)    { c.wrote.Add(1); return len(p), nil }
func (c *eager) TryWrite(p []byte) (int, error) { return c.Write(p) }

// TestGate: an owner writes to switches while it has looked at its row lately, by either clock;
// what is to be written after that waits for the next look, or is refused when that shows another
// owner.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(time.Now)
		conn := &eager{}
		c := &gatedConn{Conn: conn, try: conn, gate: g}
		now := time.Now()
		if g.stale(now.Add(gapLimit-time.Nanosecond)) || !g.stale(now.Add(gapLimit)) ||
			!g.stale(now.Round(0).Add(time.Hour)) || gapLimit+ShutdownLimit > leaseTime {
			t.Error("the gate is not open for gapLimit after a look, or that and an orderly end are longer than the lease")
		}
		if n, err := c.TryWrite([]byte{1}); n != 1 || err != nil {
			t.Errorf("open: %d, %v", n, err)
		}
		time.Sleep(gapLimit)
		if n, err := c.TryWrite([]byte{1}); n != 0 || err != nil {
			t.Errorf("after a gap: %d, %v", n, err)
		}
		ended := make(chan error, 1)
		write := func() { _, err := c.Write([]byte{1}); ended <- err }
		go write()
		synctest.Wait()
		if len(ended) != 0 || conn.wrote.Load() != 1 {
			t.Error("something is written after a gap, before the next look")
		}
		g.refresh(time.Now())
		if err := <-ended; err != nil || conn.wrote.Load() != 2 {
			t.Errorf("after the next look: %v, %d written", err, conn.wrote.Load())
		}
		time.Sleep(gapLimit)
		go write()
		synctest.Wait()
		g.end()
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("while it waited another became the owner: %v", err)
		}
		g.refresh(time.Now())
		if n, _ := c.TryWrite([]byte{1}); n != 0 || g.wait() || conn.wrote.Load() != 2 {
			t.Error("something is written after the end")
		}
	})
}

// dead is a store that answers nothing, if it is so.
type dead struct {
	store.Store
	is atomic.Bool
}

func (s *dead) KeepAlive(ctx context.Context, id store.LeaseID) error {
	if s.is.Load() {
		return store.ErrUnavailable
	}
	return s.Store.KeepAlive(ctx, id)
}

// TestKeepAfterAGap: an owner that was stopped, and finds a store that does not answer, writes
// nothing for as long as its lease has; one that finds another owner never writes again.
func TestKeepAfterAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &dead{Store: store.NewMemory(nil)}
		o := New(st, Instance{Name: "a"})
		if other, err := o.take(t.Context()); other != nil || err != nil {
			t.Fatal(other, err)
		}
		kept := make(chan error, 1)
		go func() { kept <- o.keep(t.Context(), func(string) {}) }()
		open := func() bool { return !o.gate.stale(time.Now()) }
		time.Sleep(3 * time.Second)
		st.is.Store(true)
		if time.Sleep(10 * time.Second); !open() {
			t.Error("an owner whose store does not answer, and that was not stopped, does not go on")
		}
		long := time.Now().Add(-time.Minute)
		o.gate.looked.Store(&long) // as if it had been stopped
		if time.Sleep(leaseTime - time.Second); open() {
			t.Error("after a gap it writes before the store could have told of another owner")
		}
		if time.Sleep(4 * time.Second); !open() {
			t.Error("after a gap, and as long as a lease has, it does not go on")
		}
		st.is.Store(false)
		row := store.Put([]byte(ownerKey), []byte(`{"name":"b","life":"x"}`))
		if _, err := st.Txn(t.Context(), store.Txn{Then: []store.Op{row}}); err != nil {
			t.Fatal(err)
		}
		err := <-kept
		if !errors.Is(err, ErrDeposed) || o.gate.wait() {
			t.Errorf("another is the owner: %v", err)
		}
		ctx, stop := context.WithCancelCause(t.Context())
		if by, ok := DeposedBy(ctx); ok {
			t.Errorf("deposed by %v before it was", by)
		}
		stop(err)
		if by, ok := DeposedBy(ctx); !ok || by.Name != "b" {
			t.Errorf("deposed by %v, %t", by, ok)
		}
	})
}
