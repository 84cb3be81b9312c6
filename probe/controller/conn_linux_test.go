package controller

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// TestArrivalIsTheKernels has bytes wait in the socket before they are read: their arrival is when
// they came, not when they were read.
func TestArrivalIsTheKernels(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	peer, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	c := newConn(accepted).(directConn)
	defer c.Close()
	if c.stamps == nil {
		t.Fatal("the kernel stamps nothing")
	}
	buf := make([]byte, 100)
	// The kernel begins to stamp a moment after it was asked to.
	need.Await(t, "bytes have a stamp", func() bool {
		if _, err := peer.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		_, err := c.Read(buf)
		return err == nil && c.stamps.stamped > 0
	})
	for range 3 {
		before := time.Now()
		if _, err := peer.Write([]byte("ten bytes!")); err != nil {
			t.Fatal(err)
		}
		written := time.Now()
		time.Sleep(20 * time.Millisecond) // they wait
		if n, err := c.Read(buf); n != 10 || err != nil {
			t.Fatalf("read %d bytes, error %v", n, err)
		}
		// On loopback bytes have come when write returns. The kernel's clock is the wall clock, which
		// may be a little off the monotonic one.
		const slack = time.Millisecond
		if at := c.arrival(); at.Before(before.Add(-slack)) || at.After(written.Add(slack)) {
			t.Errorf("arrived at %v, want between %v and %v", at, before, written)
		}
	}
	_ = c.SetReadDeadline(time.Unix(1, 0))
	if _, err := c.Read(buf); err == nil || !err.(net.Error).Timeout() {
		t.Errorf("after its deadline: %v", err)
	}
	_ = c.SetReadDeadline(time.Time{})
	peer.Close()
	if _, err := c.Read(buf); err != io.EOF {
		t.Errorf("after the peer's end: %v", err)
	}
}

func TestAgeOfAStamp(t *testing.T) {
	now := time.Now()
	for _, c := range []struct{ age, want time.Duration }{
		{0, 0}, {time.Microsecond, time.Microsecond}, {time.Second, time.Second},
		{-time.Microsecond, 0}, {time.Hour, 0}, {-time.Hour, 0}, // the clock was set
	} {
		if got := ageOf(now.Round(0).Add(-c.age), now); got != c.want {
			t.Errorf("a stamp of %v ago is %v old, want %v", c.age, got, c.want)
		}
	}
}

// FuzzStamp has any control messages be read without harm.
func FuzzStamp(f *testing.F) {
	f.Add([]byte{32, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 35, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 35, 0, 0, 0, 1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		stamp, ok := stampOf(b)
		if ok && len(b) < 32 {
			t.Errorf("%d bytes are the stamp %v", len(b), stamp)
		}
	})
}
