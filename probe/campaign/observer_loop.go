package campaign

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/crowd"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/wire"
)

// Observer is the far end of measurements whose near end is at another machine: one interface, for
// one measurement at a time.
type Observer struct {
	At     nic.Config
	Listen string // HOST:PORT
	Key    []byte // which the near side has to have too; nil: none
	Build  string
	Note   func(format string, args ...any) // if set, is told who measures, and who was refused

	end *local

	mu        sync.Mutex // guards what follows
	measuring net.Conn   // nil: nobody
	strangers crowd.Crowd[net.Conn]
}

// Limits of connections that have not shown the key yet. Beyond them the oldest one goes.
const (
	maxStrangers = 32
	maxOfSource  = 8
)

// Run observes until the context ends. The error is that of the interface, or of the address.
func (o *Observer) Run(ctx context.Context) error {
	if o.Note == nil {
		o.Note = func(string, ...any) {}
	}
	e, err := openLocal(o.At, make(chan struct{}, 1))
	if err != nil {
		return err
	}
	o.end = e
	listener, err := (&net.ListenConfig{KeepAliveConfig: keepAlive}).Listen(ctx, "tcp", o.Listen)
	if err != nil {
		return errors.Join(err, e.close())
	}
	o.Note("observing %s at %s", e.about().name, listener.Addr())
	stop := context.AfterFunc(ctx, func() { listener.Close() })
	defer stop()
	var serving sync.WaitGroup
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, net.ErrClosed) { // for want of descriptors, say
				o.Note("%v", err)
				_ = pace.Wait(ctx, time.Second) // whose end the next connection shows
				continue
			}
			serving.Wait()
			return e.close()
		}
		serving.Go(func() { o.serve(ctx, conn) })
	}
}

// serve speaks with one near side, if that may measure.
func (o *Observer) serve(ctx context.Context, conn net.Conn) {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	defer conn.Close()
	from, place := crowd.SourceOf(conn.RemoteAddr()), o.arrive(conn)
	err := conn.SetDeadline(time.Now().Add(greeting))
	if err == nil {
		err = answerNear(conn, o.Key, func() error { return o.admit(conn) })
	}
	o.mu.Lock()
	o.strangers.Remove(from, &place)
	mine := o.measuring == conn
	o.mu.Unlock()
	if mine {
		defer o.free()
	}
	if err = errors.Join(err, conn.SetDeadline(time.Time{})); err != nil {
		o.Note("refused %v: %v", conn.RemoteAddr(), err)
		return
	}
	o.Note("measuring for %v", conn.RemoteAddr())
	if err := o.converse(ctx, conn); ctx.Err() == nil && !errors.Is(err, io.EOF) {
		o.Note("%v: %v", conn.RemoteAddr(), err)
	}
	o.Note("%v has gone", conn.RemoteAddr())
}

// arrive takes note of a connection, and closes the oldest of too many.
func (o *Observer) arrive(conn net.Conn) crowd.Place {
	o.mu.Lock()
	defer o.mu.Unlock()
	from := crowd.SourceOf(conn.RemoteAddr())
	place := o.strangers.Add(from, conn)
	old, ok := o.strangers.OldestOf(from)
	if o.strangers.Of(from) <= maxOfSource {
		old, ok = o.strangers.Oldest()
		ok = ok && o.strangers.Len() > maxStrangers
	}
	if ok {
		old.Close()
	}
	return place
}

// admit lets a near side measure, unless another one does.
func (o *Observer) admit(conn net.Conn) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.measuring != nil {
		return busy(o.measuring.RemoteAddr().String())
	}
	o.measuring = conn
	return nil
}

// free forgets the measurement of a near side that has gone.
func (o *Observer) free() {
	o.end.leave()
	o.mu.Lock()
	o.measuring = nil
	o.mu.Unlock()
}

// converse answers questions, in their order, until the near side goes, which ends what it has asked
// for.
func (o *Observer) converse(ctx context.Context, conn net.Conn) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer conn.SetReadDeadline(time.Unix(1, 0)) // ends the reading; whoever called closes, when the interface is free
	questions := make(chan wire.Question)
	reading.Go(func() {
		for {
			var q wire.Question
			if err := wire.Read(conn, wire.Short, &q); err != nil {
				cancel(err)
				return
			}
			select {
			case questions <- q:
			case <-ctx.Done():
				return
			}
		}
	})
	defer cancel(nil)
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case q := <-questions:
			a, err := o.answer(ctx, &q)
			if err != nil {
				a = wire.Answer{Error: wire.ErrorOf(err)}
			}
			if err := errors.Join(conn.SetWriteDeadline(time.Now().Add(slack)), wire.Write(conn, a)); err != nil {
				return err
			}
		}
	}
}

// answer does what was asked for.
func (o *Observer) answer(ctx context.Context, q *wire.Question) (a wire.Answer, err error) {
	if err := q.Check(); err != nil {
		return a, err
	}
	e, p := o.end, plan{six: q.Six, vlan: q.VLAN}
	if q.Do != wire.Begin && q.Do != wire.Own && e.station == nil {
		return a, fmt.Errorf("%q asked for, want %q first", q.Do, wire.Begin)
	}
	switch q.Do {
	case wire.Begin:
		e.place(1, p)
		is := e.about()
		a.About = &wire.About{Interface: is.name, MTU: is.mtu, Stamps: is.stamps.String(), Build: o.Build}
		return a, e.reset(ctx)
	case wire.Ask:
		a.Known, err = e.ask(ctx, q.Target, q.Limit)
	case wire.Reset:
		err = e.reset(ctx)
	case wire.Take:
		a.Seen, err = o.seen(ctx, q)
	case wire.Own:
		a.Shares, err = o.own(ctx, echoes{plan: p, mtu: q.MTU, sizes: q.Sizes, count: q.Count, interval: q.Interval})
	}
	return a, err
}

func (o *Observer) seen(ctx context.Context, q *wire.Question) (*wire.Seen, error) {
	s, err := o.end.take(ctx, q.Packets, q.Limit)
	if err != nil {
		return nil, err
	}
	return &wire.Seen{Passages: s.passages, Counts: s.counts, Lost: s.lost, Clocks: s.clocks}, nil
}

func (o *Observer) own(ctx context.Context, of echoes) (list []wire.Share, err error) {
	shares, err := ownShares(ctx, of)
	for _, s := range shares {
		list = append(list, wire.Share{Paths: s.paths, Error: wire.ErrorOf(s.bad)})
	}
	return list, err
}
