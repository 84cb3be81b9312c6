package emu

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	"github.com/weirnet/weir/agent"
	"github.com/weirnet/weir/session"
)

// maxStarting is how many connections are being made, or are in their handshake, at a time: a
// controller's backlog is bounded.
const maxStarting = 128

// dialTimeout is how long a connection may take to stand, TLS included.
const dialTimeout = 10 * time.Second

// attempts are the connections that are being made, or are in their handshake, at most maxStarting at a time. Channels
// have their turn in the order in which they asked for it, from begin to end.
type attempts struct {
	cfg      *Config // how a connection is made
	sessions *session.Dialer
	runner   *runner

	mu       sync.Mutex
	context  context.Context // of what is being made; nil before begin
	ended    bool
	queue    ring[*channel] // that wait for their turn
	starting int
}

// begin makes the connections that were asked for, and those to come.
func (a *attempts) begin(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.context = ctx
	a.proceed()
}

// end has no more connections be made.
func (a *attempts) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ended, a.queue = true, ring[*channel]{}
}

// enqueue queues a channel for its turn to connect.
func (a *attempts) enqueue(ch *channel) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		a.queue.push(ch)
	}
	a.proceed()
}

// release frees the slot of a connection that is established or has failed.
func (a *attempts) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.starting--
	a.proceed()
}

// proceed starts queued attempts, as many as there is room for. The lock is held.
func (a *attempts) proceed() {
	for a.context != nil && !a.ended && a.queue.len() > 0 && a.starting < maxStarting {
		ch := a.queue.pop()
		a.starting++
		a.runner.spawn(func() { a.connect(ch) })
	}
}

// connect makes the connection of a channel.
func (a *attempts) connect(ch *channel) {
	if !ch.begin() {
		a.release()
		return
	}
	ctx, cancel := context.WithTimeout(a.context, dialTimeout)
	defer cancel()
	stream, err := a.open(context.WithValue(ctx, dialler{}, ch.sw), ch)
	if err != nil {
		ch.troubled(nil, err)
		ch.lost()
		a.release()
		return
	}
	w, outer := newWire(stream, ch)
	roles := ch.attach(w)
	if roles == nil {
		w.Close()
		return
	}
	c := &conn{sw: ch.sw, channel: ch, wire: w, roles: roles}
	c.Agent = agent.New(c)
	var handler session.SwitchHandler = c
	if ch.sw.profile != nil {
		handler = &delayedConn{conn: c, room: make(chan struct{}, 1)}
	}
	_, _ = a.sessions.ServeConn(outer, roles, handler) // which closes it, if it does not take it
}

// open dials a controller, and speaks TLS with it if the switch does.
func (a *attempts) open(ctx context.Context, ch *channel) (net.Conn, error) {
	dial := a.cfg.Dial
	if dial == nil {
		dial = dialTCP
	}
	conn, err := dial(ctx, ch.address)
	if err != nil || a.cfg.TLS == nil {
		return conn, err
	}
	cfg := a.cfg.TLS(ch.sw.id)
	if cfg == nil {
		return conn, nil
	}
	secure := tls.Client(conn, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secure, nil
}

func dialTCP(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", address)
}
