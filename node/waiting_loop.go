package node

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

// waiting serves the API of an instance whose store cannot serve yet, for want of other members: that the process lives, and
// what it waits for. One goroutine calls its methods.
type waiting struct {
	cfg     Config
	ctx     context.Context
	what    atomic.Pointer[string]
	tried   bool
	port    *port  // nil: nothing was served
	stop    func() // has the API end
	running sync.WaitGroup
}

func newWaiting(ctx context.Context, cfg *Config) *waiting {
	return &waiting{ctx: ctx, cfg: *cfg, stop: func() {}}
}

// say tells what the store waits for; empty: for nothing any more. From the first time on the API is served.
func (w *waiting) say(what string) {
	w.what.Store(&what)
	if what == "" || w.tried {
		return
	}
	w.tried = true
	if err := w.serve(); err != nil {
		w.cfg.Log.Error("the API is not served while the store waits for other members", "error", err)
	}
}

func (w *waiting) serve() error {
	stack, err := w.cfg.apiStack()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", w.cfg.API.Listen)
	if err != nil {
		return err
	}
	w.port = newPort(l)
	view := netview.New(netview.Limits{})
	alarm.New(view).Raise(netview.AlarmStore, "", w.ready().Error())
	stack.Standby = w.ready
	served := api.New(api.Config{StackConfig: stack, View: view, Instance: w.cfg.Name, Members: w.members, Ready: w.ready})
	ctx, stop := context.WithCancel(w.ctx)
	w.stop = stop
	w.running.Go(func() {
		if err := served.Serve(ctx, w.port.lend()); err != nil {
			w.cfg.Log.Error("the API of an instance whose store waits has ended", "error", err)
		}
	})
	return nil
}

func (w *waiting) ready() error {
	return errors.New("the store does not serve yet: it waits for " + *w.what.Load())
}

// members are this instance: of others nothing is known for certain.
func (w *waiting) members() []client.Member {
	return []client.Member{{Name: w.cfg.Name, Address: w.cfg.API.Listen, Peer: w.cfg.Peer.Listen, State: "waiting"}}
}

// handOver ends what is served, and returns the port of the API, for the next to serve; nil: it is not open.
func (w *waiting) handOver() (p *port) {
	w.stop()
	w.running.Wait()
	p, w.port = w.port, nil
	return p
}

// end ends what is served, and closes the port if nobody else has it.
func (w *waiting) end() {
	if p := w.handOver(); p != nil {
		p.end()
	}
}
