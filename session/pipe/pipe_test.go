package pipe

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/nettest"

	"github.com/weirnet/weir/internal/need"
)

// TestConn is what every net.Conn must do.
func TestConn(t *testing.T) {
	nettest.TestConn(t, func() (net.Conn, net.Conn, func(), error) {
		a, b := New(Options{})
		return a, b, func() { a.Close(); b.Close() }, nil
	})
}

// Bytes come out whole and in order, however they are cut.
func TestOrder(t *testing.T) {
	a, b := New(Options{})
	r := rand.New(rand.NewPCG(1, 2))
	sent := make([]byte, 4*DefaultBuffer)
	for i := range sent {
		sent[i] = byte(r.Uint32())
	}
	var writer sync.WaitGroup
	writer.Go(func() {
		for rest := sent; len(rest) > 0; {
			n := min(1+r.IntN(2*DefaultBuffer), len(rest))
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
func TestBuffer(t *testing.T) {
	a, b := New(Options{})
	if n, err := a.TryWrite(make([]byte, DefaultBuffer+5)); n != DefaultBuffer || err != nil {
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

func TestBytesArriveInOrderAfterTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := New(Options{Delay: 3 * time.Millisecond, DelayBack: 5 * time.Millisecond})
		start := time.Now()
		a.Write([]byte("one "))
		a.Write([]byte("two"))
		a.Close()
		got, err := io.ReadAll(b)
		if string(got) != "one two" || err != nil || time.Since(start) != 3*time.Millisecond {
			t.Errorf("%q, %v after %v", got, err, time.Since(start))
		}
		a, b = New(Options{Delay: 3 * time.Millisecond, DelayBack: 5 * time.Millisecond})
		start = time.Now()
		b.Write([]byte("back"))
		a.Read(make([]byte, 4))
		if time.Since(start) != 5*time.Millisecond {
			t.Errorf("back after %v", time.Since(start))
		}
	})
}

func TestAFullBufferBlocksUntilThePeerReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := New(Options{Buffer: 4})
		if n, err := a.TryWrite([]byte("123456")); n != 4 || err != nil {
			t.Fatalf("TryWrite: %d, %v", n, err)
		}
		written := 0
		go func() { written, _ = a.Write([]byte("789")) }()
		synctest.Wait()
		if written != 0 {
			t.Fatal("Write did not wait")
		}
		p := make([]byte, 8)
		io.ReadFull(b, p[:7])
		synctest.Wait()
		if written != 3 || string(p[:7]) != "1234789" {
			t.Errorf("%d written, read %q", written, p)
		}
	})
}

func TestAPartitionHoldsBytesAndACutLosesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := New(Options{})
		a.Partition(true)
		a.Write([]byte("late"))
		b.SetReadDeadline(time.Now().Add(time.Second))
		p := make([]byte, 9)
		if _, err := b.Read(p); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("read in a partition: %v", err)
		}
		b.SetReadDeadline(time.Time{})
		a.Partition(false)
		if n, _ := b.Read(p); !bytes.Equal(p[:n], []byte("late")) {
			t.Fatalf("read %q", p[:n])
		}
		a.Write([]byte("lost"))
		b.Cut()
		_, errB := b.Read(p)
		_, errA := a.Write(p)
		if errB != syscall.ECONNRESET || errA != syscall.ECONNRESET {
			t.Errorf("after the cut: %v, %v", errB, errA)
		}
	})
}

// An idle connection holds no buffer, and one that is used a little allocates nothing.
func TestMemoryBudget(t *testing.T) {
	need.NoRace(t)
	a, b := New(Options{})
	large := make([]byte, DefaultBuffer)
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
