package pipe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/net/nettest"

	"github.com/weirnet/weir/internal/need"
)

// TestConn is what every net.Conn must do.
func TestConn(t *testing.T) {
	nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
		a, b := New("a", "b")
		return a, b, func() { a.Close(); b.Close() }, nil
	})
}

// Bytes come out whole and in order, however they are cut.
func TestOrder(t *testing.T) {
	a, b := New("a", "b")
	r := rand.New(rand.NewPCG(1, 2))
	sent := make([]byte, 4*Room)
	for i := range sent {
		sent[i] = byte(r.Uint32())
	}
	var writer sync.WaitGroup
	writer.Go(func() {
		for rest := sent; len(rest) > 0; {
			n := min(1+r.IntN(2*Room), len(rest))
			if _, err := a.Write(rest[:n]); err != nil {
				t.Error(err)
			}
			rest = rest[n:]
		}
		a.Close()
	})
	got, err := io.ReadAll(b)
	writer.Wait()
	if err != nil || !bytes.Equal(got, sent) {
		t.Errorf("%d bytes of %d, %v", len(got), len(sent), err)
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("written to a closed peer: %v", err)
	}
	if _, err := a.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
		t.Errorf("read after Close: %v", err)
	}
}

// TryWrite takes what there is room for, and no more.
func TestRoom(t *testing.T) {
	a, b := New("a", "b")
	if n, err := a.TryWrite(make([]byte, Room+5)); n != Room || err != nil {
		t.Errorf("took %d, %v", n, err)
	}
	if n, err := a.TryWrite(make([]byte, 5)); n != 0 || err != nil {
		t.Errorf("took %d, %v", n, err)
	}
	if n, err := b.Read(make([]byte, 3)); n != 3 || err != nil {
		t.Errorf("read %d, %v", n, err)
	}
	if n, err := a.TryWrite(make([]byte, 5)); n != 3 || err != nil {
		t.Errorf("took %d, %v", n, err)
	}
}

// An idle connection holds no buffer, and one that is used a little allocates nothing.
func TestMemoryBudget(t *testing.T) {
	need.NoRace(t)
	a, b := New("a", "b")
	large := make([]byte, Room)
	a.Write(large)
	io.ReadFull(b, large)
	if cap(a.out.buf) > keep {
		t.Errorf("an idle connection holds %d bytes", cap(a.out.buf))
	}
	few := make([]byte, 64)
	a.Write(few)
	b.Read(few)
	if n := testing.AllocsPerRun(100, func() { a.Write(few); b.Read(few) }); n != 0 {
		t.Errorf("%v allocations a message", n)
	}
}

// A listener gives the far ends of what is dialed, in order, and nothing after its end.
func TestListener(t *testing.T) {
	l := Listen("here")
	one, err := l.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.Dial(t.Context())
	far, err := l.Accept()
	if err != nil || far.RemoteAddr().String() != one.LocalAddr().String() || far.LocalAddr().String() != "here" {
		t.Fatalf("%v accepted, %v", far, err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Dial(done); !errors.Is(err, context.Canceled) {
		t.Errorf("dialed after the context's end: %v", err)
	}
	var waits sync.WaitGroup
	second, _ := l.Accept()
	waits.Go(func() {
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("accepted after the end: %v", err)
		}
	})
	l.Close()
	waits.Wait()
	if _, err := l.Dial(t.Context()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("dialed after the end: %v", err)
	}
	one.Write([]byte("on"))
	if n, err := far.Read(make([]byte, 9)); n != 2 || err != nil || second == nil {
		t.Errorf("an accepted connection ended with its listener: %d, %v", n, err)
	}
}
