package session

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/session/pipe"
)

// from is a connection from an address.
type from struct {
	*pipe.Conn
	addr net.TCPAddr
}

func (f *from) RemoteAddr() net.Addr { return &f.addr }

// silent makes a connection from an address that says nothing.
func (p *pair) silent(ip net.IP) (near, far *pipe.Conn) {
	return p.from(net.TCPAddr{IP: ip, Port: 1234})
}

// from makes a connection from an address, which may be refused.
func (p *pair) from(addr net.TCPAddr) (near, far *pipe.Conn) {
	near, far = pipe.New(p.options)
	p.server.ServeConn(&from{near, addr})
	return near, far
}

// counts are the refusals so far, by reason.
func countOf(refused chan Refusal) map[string]int {
	n := make(map[string]int)
	for len(refused) > 0 {
		n[Reason((<-refused).Err)]++
	}
	return n
}

// TestHalfOpenConnectionsAreBounded of one source and of all; the oldest goes, and a real switch
// comes in.
func TestHalfOpenConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		cfg.MaxHalfOpen, cfg.MaxHalfOpenSource = 40, 25
		p := newPair(t, cfg, pipe.Options{})
		half := func() (int, int) {
			p.server.group.mu.Lock()
			defer p.server.group.mu.Unlock()
			return p.server.group.half.Len(), len(p.server.group.sessions)
		}
		var first *pipe.Conn
		for n := range 100 {
			_, far := p.silent(net.IPv4(192, 0, 2, 1))
			if n == 0 {
				first = far
			}
			defer far.Close()
		}
		synctest.Wait()
		if n, all := half(); n != 25 || all != 25 {
			t.Errorf("%d half open of one source, %d sessions", n, all)
		}
		if _, err := first.Read(make([]byte, 99)); err != nil { // its HELLO
			t.Error(err)
		}
		if _, err := first.Read(make([]byte, 99)); err == nil {
			t.Error("the oldest was not closed")
		}
		for n := range 100 {
			_, far := p.silent(net.IPv4(198, 51, 100, byte(n)))
			defer far.Close()
		}
		synctest.Wait()
		if n, all := half(); n != 40 || all != 40 {
			t.Errorf("%d half open of all sources, %d sessions", n, all)
		}
		if n := countOf(refused); n["shed"] != 160 || len(n) != 1 {
			t.Errorf("refused: %v", n)
		}
		_, real, _ := p.connect(&datapath{id: 1})
		if real == nil || real.Features().Datapath != 1 {
			t.Fatal("a real switch did not connect")
		}
		time.Sleep(DefaultHandshakeTimeout + tickInterval)
		synctest.Wait()
		if n, all := half(); n != 0 || all != 1 {
			t.Errorf("%d half open, %d sessions after the handshakes' time", n, all)
		}
		if n := countOf(refused); n["shed"] != 1 || n["handshake_timeout"] != 39 {
			t.Errorf("refused: %v", n)
		}
		if g := p.server.group; g.half.Sources() != 0 || g.leaving != 0 {
			t.Errorf("%d sources, %d leaving", g.half.Sources(), g.leaving)
		}
		p.close()
	})
}

// TestAFullServerShedsTheHalfOpenFirst and refuses only when all of its sessions are connected.
func TestAFullServerShedsTheHalfOpenFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg, refused := refusals()
		cfg.MaxSessions = 3
		p := newPair(t, cfg, pipe.Options{})
		for range 3 {
			_, far := p.silent(net.IPv4(192, 0, 2, 1))
			defer far.Close()
		}
		for id := range uint64(3) {
			p.connect(&datapath{id: id + 1})
		}
		expect(t, p.handler.notes(), "connected 0x1 1.3", "connected 0x2 1.3", "connected 0x3 1.3")
		if n := countOf(refused); n["shed"] != 3 || len(n) != 1 {
			t.Errorf("refused: %v", n)
		}
		a, b := pipe.New(p.options)
		defer b.Close()
		if _, err := p.server.ServeConn(a); err != ErrTooMany {
			t.Errorf("one too many: %v", err)
		}
		if n := countOf(refused); n["too_many"] != 1 {
			t.Errorf("refused: %v", n)
		}
		p.close()
	})
}

// TestAPeerThatSendsAndTakesNothingIsStuck: its queue is bounded, it ends after three echoes, and
// another switch is served meanwhile.
func TestAPeerThatSendsAndTakesNothingIsStuck(t *testing.T) {
	for _, over := range []string{"memory", "TLS"} {
		synctest.Test(t, func(t *testing.T) { stuck(t, over == "TLS") })
	}
}

func TestReasonsAreWords(t *testing.T) {
	known := make(map[string]bool)
	for _, word := range Reasons() {
		known[word] = true
	}
	for _, err := range []error{ErrTooMany, ErrShed, ErrInUse, closed(ErrAuxiliary), closed(ErrTLS), &PeerError{},
		net.ErrClosed, errShutdown} {
		if !known[Reason(err)] {
			t.Errorf("%v: %s", err, Reason(err))
		}
	}
	if Reason(errors.Join(ErrClosed, ErrHandshake)) != "handshake_timeout" || Reason(net.ErrClosed) != "connection_lost" {
		t.Error("wrong words")
	}
}
