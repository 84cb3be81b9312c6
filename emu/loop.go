package emu

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"runtime"
	"time"

	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/session"
)

// The goroutines of this package, all of them started here:
//
//   - loop, one for each engine, from Start to Close: owns the engine.
//   - connect, one for each connection that is being made, at most maxStarting at a time: it ends
//     when the connection stands or failed; the session's reader goes on.
//   - the timers of back-offs, which start connections again.

// maxStarting is how many connections are being made, or are in their handshake, at a time: a
// controller's backlog is bounded.
const maxStarting = 128

// dialTimeout is how long a connection may take to stand, TLS included.
const dialTimeout = 10 * time.Second

func startTime() time.Time { return time.Now() }

// age is how old a network is that began at a time.
func age(epoch time.Time) time.Duration { return time.Since(epoch) }

// Start has the engines run and the switches connect; it returns at once. When ctx is done, no more
// connections are made. The error is returned if TCP connections would need more open files than
// may be had, or is ErrClosed.
func (n *Network) Start(ctx context.Context) error {
	if n.cfg.Dial == nil {
		if err := raiseFiles(len(n.switches) * len(n.cfg.Controllers)); err != nil {
			return err
		}
	}
	n.mu.Lock()
	if n.started || n.closed {
		n.mu.Unlock()
		return ErrClosed
	}
	n.started = true
	n.context, n.cancel = context.WithCancel(ctx)
	if n.cfg.Driver == nil {
		for _, e := range n.engines {
			n.running.Go(func() { n.loop(e) })
		}
	}
	n.mu.Unlock()
	n.startConnects()
	for _, h := range n.hosts {
		h.do(func(stack, time.Duration, host.Output) {})
	}
	return nil
}

// Close takes the network down: all connections end, all engines stop. It waits for them until ctx
// is done.
func (n *Network) Close(ctx context.Context) error {
	n.mu.Lock()
	if !n.closed {
		n.closed = true
		close(n.stop)
		n.stopped.Store(true)
	}
	if n.cancel != nil {
		n.cancel()
	}
	n.queue = ring[*channel]{}
	n.mu.Unlock()
	for _, sw := range n.switches {
		_ = sw.setFaults(AllControllers, func(f *faults) { *f = faults{} })
	}
	err := n.dialer.Close(ctx)
	n.running.Wait()
	return err
}

// loop runs an engine.
func (n *Network) loop(e *engine) {
	r := e.newIdleWaiter()
	defer r.end()
	for !n.stopped.Load() {
		next, more, ok := e.step(n.now())
		if more {
			runtime.Gosched() // to those who read what controllers say
			continue
		}
		if !e.maySleep() {
			continue
		}
		if !ok {
			next = n.now() + time.Hour
		}
		r.until(next)
	}
}

// wakeUp wakes an engine that sleeps.
func (e *engine) wakeUp() {
	select {
	case e.wakeup <- struct{}{}:
	default:
	}
}

// AwaitConnected waits until every switch that has power is connected to a controller at least.
// Without controllers it does not wait.
func (n *Network) AwaitConnected(ctx context.Context) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		have, want := n.connected.Load(), n.on.Load()
		if have >= want || len(n.cfg.Controllers) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d switches are connected%s: %w", have, want, n.troubleSuffix(), ctx.Err())
		case <-n.stop:
			return ErrClosed
		case <-tick.C:
		}
	}
}

// enqueue queues a channel for its turn to connect.
func (n *Network) enqueue(ch *channel) {
	n.mu.Lock()
	if !n.closed {
		n.queue.push(ch)
	}
	n.mu.Unlock()
	n.startConnects()
}

// releaseSlot frees the slot of a connection that is established or has failed.
func (n *Network) releaseSlot() {
	n.mu.Lock()
	n.starting--
	n.mu.Unlock()
	n.startConnects()
}

// startConnects starts queued attempts, up to maxStarting at a time.
func (n *Network) startConnects() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for n.started && !n.closed && n.queue.len() > 0 && n.starting < maxStarting {
		ch := n.queue.pop()
		n.starting++
		n.spawn(func() { n.connectOne(ch) })
	}
}

// connectOne makes the connection of a channel.
func (n *Network) connectOne(ch *channel) {
	if !ch.begin() {
		n.releaseSlot()
		return
	}
	ctx, cancel := context.WithTimeout(n.context, dialTimeout)
	defer cancel()
	stream, err := n.open(context.WithValue(ctx, dialler{}, ch.sw), ch)
	if err != nil {
		ch.troubled(nil, err)
		ch.lost()
		n.releaseSlot()
		return
	}
	w, outer := newWire(stream, ch)
	roles := ch.attach(w)
	if roles == nil {
		w.Close()
		return
	}
	c := &conn{sw: ch.sw, channel: ch, wire: w, roles: roles, async: defaultAsync}
	var handler session.SwitchHandler = c
	if ch.sw.profile != nil {
		handler = &delayedConn{conn: c, room: make(chan struct{}, 1)}
	}
	_, _ = n.dialer.ServeConn(outer, roles, handler) // which closes it, if it does not take it
}

// open dials a controller, and speaks TLS with it if the switch does.
func (n *Network) open(ctx context.Context, ch *channel) (net.Conn, error) {
	dial := n.cfg.Dial
	if dial == nil {
		dial = dialTCP
	}
	conn, err := dial(ctx, ch.address)
	if err != nil || n.cfg.TLS == nil {
		return conn, err
	}
	cfg := n.cfg.TLS(ch.sw.id)
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

// lost schedules the next attempt to connect, if a connection is wanted.
func (ch *channel) lost() {
	if after, again := ch.failed(); again {
		n := ch.sw.net
		n.later(after, func() { n.enqueue(ch) })
	}
}

// spawn runs a function that may block: in a goroutine, or by the driver.
func (n *Network) spawn(f func()) {
	if n.cfg.Driver != nil {
		n.cfg.Driver.After(0, f)
		return
	}
	n.running.Go(f)
}

// later runs a function after a time.
func (n *Network) later(after time.Duration, f func()) {
	if n.cfg.Driver != nil {
		n.cfg.Driver.After(after, f)
		return
	}
	time.AfterFunc(after, f)
}

// pause waits for a time, or for the end of the connection; true if the fault changed meanwhile.
func pause(d time.Duration, ended, changed <-chan struct{}) bool {
	if d <= 0 {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ended:
	case <-changed:
		return true
	}
	return false
}

var _ session.SwitchHandler = (*conn)(nil)
