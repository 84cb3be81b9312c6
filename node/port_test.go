package node

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

// failingOnce is a listener whose first Accept fails.
type failingOnce struct {
	net.Listener
	err error
}

func (l *failingOnce) Accept() (net.Conn, error) {
	if err := l.err; err != nil {
		l.err = nil
		return nil, err
	}
	return l.Listener.Accept()
}

// TestPortIsLent: what connects goes to whoever has the port, errors too; the port outlives its users.
func TestPortIsLent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := newPort(&failingOnce{l, syscall.EMFILE})
	first := p.lend()
	if _, err := first.Accept(); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("the first user is told %v, want %v", err, syscall.EMFILE)
	}
	dial := func(user net.Listener) {
		t.Helper()
		c, err := net.Dial("tcp", p.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		got, err := user.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer got.Close()
		if got.RemoteAddr().String() != c.LocalAddr().String() {
			t.Errorf("%v was accepted, want %v", got.RemoteAddr(), c.LocalAddr())
		}
	}
	dial(first)
	first.Close()
	if _, err := first.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a user that has ended: %v", err)
	}
	second := p.lend()
	dial(second)
	p.end()
	if _, err := second.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the port has ended: %v", err)
	}
}
