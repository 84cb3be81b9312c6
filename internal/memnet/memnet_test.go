package memnet

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

var (
	_ net.Conn     = (*Conn)(nil)
	_ net.Listener = (*Listener)(nil)
)

func TestBytesArriveInOrderAfterTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe(Options{Delay: 3 * time.Millisecond})
		start := time.Now()
		a.Write([]byte("one "))
		a.Write([]byte("two"))
		a.Close()
		got, err := io.ReadAll(b)
		if string(got) != "one two" || err != nil || time.Since(start) != 3*time.Millisecond {
			t.Errorf("%q, %v after %v", got, err, time.Since(start))
		}
	})
}

func TestAFullBufferBlocksUntilThePeerReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := Pipe(Options{Buffer: 4})
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
		a, b := Pipe(Options{})
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

func TestListenerConnectsAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := Listen(Options{})
		near, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		far, err := l.Accept()
		if err != nil || far.RemoteAddr() != near.LocalAddr() {
			t.Fatalf("%v, %v", far, err)
		}
		time.AfterFunc(time.Second, func() { l.Close() })
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept after Close: %v", err)
		}
		if _, err := l.Dial(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Dial after Close: %v", err)
		}
	})
}
