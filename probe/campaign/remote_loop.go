package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/wire"
)

// Waiting times between the two machines.
const (
	greeting = 5 * time.Second  // until both have said who they are
	slack    = 10 * time.Second // for an answer, beside what was asked for
	parting  = 2 * time.Second  // for the observer to free its interface
)

// keepAlive finds a machine that has gone without a word, after about ten seconds.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 4 * time.Second, Interval: 2 * time.Second, Count: 3}

// openFar opens an interface of this machine, and an observer's of another one, with a path between
// both. The context that it returns ends when the observer is gone, with why.
func openFar(ctx context.Context, near nic.Config, address string, key []byte, p plan) (*bed, context.Context, error) {
	b := &bed{plan: p, changed: make(chan struct{}, 1)}
	far, ctx, err := dial(ctx, address, key)
	if err != nil {
		return nil, nil, err
	}
	b.ends[1] = far
	if err := far.begin(ctx, p); err != nil {
		return nil, nil, errors.Join(err, b.close())
	}
	if b.near, err = openLocal(near, b.changed); err != nil {
		return nil, nil, errors.Join(err, b.close())
	}
	b.ends[0] = b.near
	b.near.place(0, p)
	return b, ctx, b.sameStamps()
}

// dial connects to an observer.
func dial(ctx context.Context, address string, key []byte) (*remote, context.Context, error) {
	conn, err := (&net.Dialer{Timeout: greeting, KeepAliveConfig: keepAlive}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, nil, noObserver(err)
	}
	err = conn.SetDeadline(time.Now().Add(greeting))
	if err == nil {
		err = greetObserver(conn, key)
	}
	if err = errors.Join(err, conn.SetDeadline(time.Time{})); err != nil {
		conn.Close()
		return nil, nil, fmt.Errorf("%s: %w", address, err)
	}
	r, ctx := follow(ctx, address, conn)
	return r, ctx, nil
}

// follow takes the answers of an observer that has admitted this side.
func follow(ctx context.Context, address string, conn net.Conn) (*remote, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	r := &remote{address: address, conn: conn, answers: make(chan *wire.Answer), alive: ctx, leave: cancel,
		over: make(chan struct{})}
	go func() {
		defer close(r.over)
		cancel(r.listen())
	}()
	return r, ctx
}

// listen takes answers until the connection ends. The error says why it did.
func (r *remote) listen() error {
	for {
		a := new(wire.Answer)
		err := wire.Read(r.conn, wire.Long, a)
		if err == nil {
			err = a.Check()
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("the connection was closed")
		}
		if err != nil {
			return r.gone(err)
		}
		select {
		case r.answers <- a:
		case <-r.alive.Done():
			return context.Cause(r.alive)
		}
	}
}

// call asks a question, and waits for its answer for a time and some slack.
func (r *remote) call(ctx context.Context, q *wire.Question, limit time.Duration) (*wire.Answer, error) {
	err := r.conn.SetWriteDeadline(time.Now().Add(slack))
	if err == nil {
		err = wire.Write(r.conn, q)
	}
	if err != nil {
		return nil, r.gone(err)
	}
	late := time.NewTimer(limit + slack)
	defer late.Stop()
	select {
	case a := <-r.answers:
		return a, a.Error.Err()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-r.alive.Done():
		return nil, context.Cause(r.alive)
	case <-late.C:
		return nil, r.gone(fmt.Errorf("no answer in %v", limit+slack))
	}
}

// busy is what a second near side is told.
func busy(with string) error {
	return &probe.Refusal{Why: probe.ErrTaken, Seen: "the observer measures for " + with, Want: "it free",
		Do: "wait until that measurement has ended, or start one observer for each"}
}
