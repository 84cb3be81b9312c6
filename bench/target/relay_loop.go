package target

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
)

// Relay copies bytes between switches and controllers: what anything costs that stands between them. It has an
// address for each controller, and connects to that one for each switch, when the switch has said something.
type Relay struct {
	To    []string // addresses of controllers
	Nagle bool     // connections are without TCP_NODELAY

	// Planned, if set, tells the messages that do not pass as they come, but when, and if, Synthetic says: what is
	// known of them beforehand is what the harness is tested with.
	Planned   func(m []byte) bool
	Synthetic *Synthetic

	Dial func(ctx context.Context, address string) (net.Conn, error) // nil dials TCP
}

// Serve relays until the context ends, which is the error then, or a listener fails. It closes the listeners, of
// which there is one for each controller.
func (r *Relay) Serve(ctx context.Context, listeners []net.Listener) error {
	if r.Synthetic != nil && r.Synthetic.Wait == nil {
		r.Synthetic.Wait = awaitAnswer
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var running sync.WaitGroup
	for i, ln := range listeners {
		running.Go(func() {
			stop(accept(ctx, ln, func(conn net.Conn, number uint64) {
				r.serve(ctx, conn, r.To[i], number*uint64(len(listeners))+uint64(i))
			}))
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// serve serves one switch.
func (r *Relay) serve(ctx context.Context, sw net.Conn, address string, number uint64) {
	first := make([]byte, 1)
	if _, err := sw.Read(first); err != nil {
		return
	}
	controller, err := r.dial(ctx, address)
	if err != nil {
		return
	}
	defer controller.Close()
	defer context.AfterFunc(ctx, func() { controller.Close() })()
	if r.Nagle {
		Nagle(sw)
		Nagle(controller)
	}
	var back sync.WaitGroup
	back.Go(func() {
		r.copy(sw, controller, 2*number)
		sw.Close()
	})
	r.copy(controller, &begun{sw, first}, 2*number+1)
	controller.Close()
	back.Wait()
}

func (r *Relay) dial(ctx context.Context, address string) (net.Conn, error) {
	if r.Dial != nil {
		return r.Dial(ctx, address)
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", address)
}

// begun is a connection of which some bytes were read before.
type begun struct {
	net.Conn
	first []byte
}

// Read gives these first.
func (b *begun) Read(p []byte) (int, error) {
	if len(b.first) == 0 {
		return b.Conn.Read(p)
	}
	n := copy(p, b.first)
	b.first = b.first[n:]
	return n, nil
}

// relayBuffer is how much is read at a time, in bytes.
const relayBuffer = 64 << 10

// copy passes on what is read, until one of both ends.
func (r *Relay) copy(to, from net.Conn, number uint64) {
	if r.Planned != nil {
		r.planned(to, from, number)
		return
	}
	buffer := make([]byte, relayBuffer)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// planned passes on messages: those that are planned when they are due, all others at once.
func (r *Relay) planned(to, from net.Conn, number uint64) {
	w := r.Synthetic.newWriter(to, number)
	var writing sync.WaitGroup
	writing.Go(w.write)
	messages(from, func(m []byte) error {
		if r.Planned(m) {
			w.plan(m, func([]byte) {})
		} else {
			w.put(0, append([]byte(nil), m...))
		}
		return nil
	})
	w.end()
	writing.Wait()
}

// Nagle has a connection be without TCP_NODELAY, if it is one of TCP.
func Nagle(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetNoDelay(false)
	}
}

// StartRelay starts a relay of this binary, or of program, to controllers, and returns its address for each.
func StartRelay(ctx context.Context, program string, to []string, nagle bool) (p *Process, addresses []string, err error) {
	if addresses, err = freePorts(len(to)); err != nil {
		return nil, nil, err
	}
	p, err = startWeir(ctx, "", program, func(p *Process) []string {
		p.Address = addresses[len(addresses)-1] // it listens there last
		return []string{"bench", "relay", "--listen", strings.Join(addresses, ","), "--to", strings.Join(to, ","),
			fmt.Sprintf("--tcp-nodelay=%v", !nagle)}
	})
	return p, addresses, err
}
