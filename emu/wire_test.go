package emu

import (
	"io"
	"net"
	"slices"
	"testing"
	"time"
)

// wireOver is a switch's end of a connection to nobody.
func wireOver(t *testing.T, c net.Conn) (*wire, net.Conn) {
	t.Helper()
	n := stepped(t, "single:1", 1, 1)
	w, outer := newWire(c, newChannel(n.Switches()[0], 0, "c"))
	t.Cleanup(func() { c.Close() })
	return w, outer
}

// TestSlowIsMended has what waits already be seen when the connection is slow no more.
func TestSlowIsMended(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	w, _ := wireOver(t, near)
	w.setFaults(faults{slow: time.Hour})
	read := make(chan int)
	go func() {
		n, _ := w.Read(make([]byte, 9))
		read <- n
	}()
	if _, err := far.Write([]byte("slow")); err != nil { // it returns when they were read
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond) // in which they begin to wait
	w.setFaults(faults{slow: time.Hour / 2})
	w.setFaults(faults{})
	select {
	case n := <-read:
		if n != 4 {
			t.Errorf("%d bytes", n)
		}
	case <-time.After(patience):
		t.Error("the delay goes on after it was mended")
	}
}

// quick is a controller that answers before the write that it answers to has returned.
type quick struct {
	net.Conn
	answers chan []byte
	shown   chan struct{} // has one for each answer that was captured
}

func (q *quick) Read(p []byte) (int, error) {
	b, ok := <-q.answers
	if !ok {
		return 0, io.EOF
	}
	return copy(p, b), nil
}

func (q *quick) TryWrite(p []byte) (int, error) {
	q.answer()
	return len(p) - 1, nil
}

func (q *quick) Write(p []byte) (int, error) {
	q.answer()
	return len(p), nil
}

// answer has the reader see an answer, and gives it a while to show it.
func (q *quick) answer() {
	q.answers <- []byte("answer")
	select {
	case <-q.shown:
	case <-time.After(50 * time.Millisecond):
	}
}

// TestCaptureKeepsOrder: a message of the switch is captured before the answer to it.
func TestCaptureKeepsOrder(t *testing.T) {
	near, _ := net.Pipe()
	q := &quick{Conn: near, answers: make(chan []byte), shown: make(chan struct{}, 2)}
	w, outer := wireOver(t, q)
	var r recording
	w.channel.taps.Store(&[]*tap{{func(at time.Time, way CaptureKind, b []byte) {
		r.see(at, way, b)
		if way == FromController {
			q.shown <- struct{}{}
		}
	}}})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			if _, err := outer.Read(make([]byte, 9)); err != nil {
				return
			}
		}
	}()
	if n, err := outer.(*tryWire).TryWrite([]byte("say")); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	await(t, "the answer is captured", func() bool { ways, _ := r.all(); return len(ways) == 2 })
	if n, err := outer.Write([]byte("more")); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	close(q.answers)
	<-ended
	ways, bytes := r.all()
	if want := []CaptureKind{ToController, FromController, ToController, FromController}; !slices.Equal(ways, want) {
		t.Errorf("captured %v, want %v", ways, want)
	}
	if len(bytes[0]) != 2 {
		t.Errorf("of 3 bytes, of which 2 were written, %d were captured", len(bytes[0]))
	}
}
