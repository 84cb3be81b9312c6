package tenants

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/weirnet/weir/openflow"
)

// ListenAttack makes the attack of one more tenant than a load has, whose controller listens until Close.
func ListenAttack(c *Config) (a *Attack, err error) {
	a = newAttack(c)
	if a.ln, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	if a.sink, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		a.ln.Close()
		return nil, err
	}
	go a.accept(a.ln, a.controller)
	go a.accept(a.sink, func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
	return a, nil
}

func (a *Attack) accept(ln net.Listener, serve func(net.Conn)) {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		a.opening(conn)
		go serve(conn)
	}
}

// controller begins a session, and reads what the switch says.
func (a *Attack) controller(conn net.Conn) {
	if _, err := conn.Write(a.handshake()); err != nil {
		return
	}
	head := make([]byte, openflow.HeaderLen)
	for ready := false; !ready; {
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		rest := int64(binary.BigEndian.Uint16(head[2:])) - openflow.HeaderLen
		if _, err := io.CopyN(io.Discard, conn, rest); err != nil {
			return
		}
		ready = openflow.Type(head[1]) == openflow.TypeFeaturesReply
	}
	select {
	case a.ready <- conn:
	default:
		return
	}
	_, _ = io.Copy(io.Discard, conn)
}

// Await waits until the hypervisor has connected all switches to the controller.
func (a *Attack) Await(ctx context.Context) error {
	late := time.After(a.c.Settle)
	for len(a.conns) < a.c.Switches {
		select {
		case conn := <-a.ready:
			a.conns = append(a.conns, conn)
		case <-late:
			return fmt.Errorf("after %v %d of %d switches have connected to the controller of the tenant that attacks",
				a.c.Settle, len(a.conns), a.c.Switches)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Begin begins to send so many messages a second, as far as they are taken, until End: to the hypervisor, or to a sink, which
// only reads.
func (a *Attack) Begin(ctx context.Context, sink bool, rate float64) error {
	to := a.conns
	if sink {
		to = nil
		for range a.conns {
			var d net.Dialer
			conn, err := d.DialContext(ctx, "tcp", a.sink.Addr().String())
			if err != nil {
				return err
			}
			a.opening(conn)
			to = append(to, conn)
		}
	}
	a.began, a.stop = time.Now(), make(chan struct{})
	a.sent.Store(0)
	for i, conn := range to {
		a.running.Go(func() { a.send(i, conn, rate/float64(len(to))) })
	}
	return nil
}

// next is the connection that comes in place of the i-th, which has ended; nil: the end came first.
func (a *Attack) next(i int) net.Conn {
	select {
	case conn := <-a.ready:
		a.mu.Lock()
		defer a.mu.Unlock()
		a.conns[i] = conn
		return conn
	case <-a.stop:
		return nil
	}
}

// attackTick is how often messages are sent, and attackMost how many rounds of them at a time.
const (
	attackTick = time.Millisecond
	attackMost = 50
	// attackBuffer is how many bytes wait at this end of a connection: those are read after the end.
	attackBuffer = 64 << 10
)

// send sends by the i-th connection, at a rate, until the end.
func (a *Attack) send(i int, to net.Conn, rate float64) {
	if tcp, is := to.(*net.TCPConn); is {
		_ = tcp.SetWriteBuffer(attackBuffer)
	}
	var b []byte
	for n, sent := uint32(0), 0.0; ; {
		select {
		case <-a.stop:
			return
		default:
		}
		due := time.Since(a.began).Seconds() * rate
		if due <= sent {
			time.Sleep(attackTick)
			continue
		}
		before := sent
		for range attackMost {
			b = a.round(b, n)
			n++
			if sent += float64(len(a.kinds)); sent >= due {
				break
			}
		}
		// Also what is on its way when the end comes: half a message would be the last one.
		if _, err := to.Write(b); err != nil {
			if to = a.next(i); to == nil {
				return
			}
		}
		b = b[:0]
		a.sent.Add(uint64(sent - before))
	}
}

// End ends to send, and returns how many messages a second were taken.
func (a *Attack) End() float64 {
	close(a.stop)
	rate := float64(a.sent.Load()) / time.Since(a.began).Seconds()
	a.running.Wait()
	return rate
}

// Close ends all of it.
func (a *Attack) Close() {
	a.ln.Close()
	a.sink.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, conn := range a.opened {
		conn.Close()
	}
	a.running.Wait()
}
