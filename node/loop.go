package node

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/process"
	"github.com/weirnet/weir/store/compactor"
	"github.com/weirnet/weir/store/etcd"
	"github.com/weirnet/weir/store/owner"
	"github.com/weirnet/weir/tokens"
)

// The goroutines of an instance are those of engineParts (parts.go) and those that run starts: the
// keeper of the heap's headroom, the recorder of facts, the journals, the acceptor of switches, what
// follows the allow list, the API. They end with the context that run makes. store/owner and
// standby_loop.go start those of an instance that shares its store.

// run starts everything and waits: for the context's end, or the first part that breaks.
// held, if not nil, gets what serving switchPort returns, which has begun already.
func (n *node) run(outer context.Context, switchPort, apiPort net.Listener, held <-chan error) error {
	ctx, stop := context.WithCancelCause(outer)
	defer stop(nil)
	var running sync.WaitGroup
	part := func(name string, f func(context.Context) error) {
		running.Go(func() {
			if err := f(ctx); err != nil {
				stop(fmt.Errorf("%s: %w", name, err))
			} else if ctx.Err() == nil {
				n.ended.Store(&name)
			}
		})
	}
	if n.cfg.View != nil {
		n.cfg.View(n.view)
	}
	if n.cfg.Intents != nil {
		n.cfg.Intents(n.intents.engine)
	}
	if n.cfg.Tenants != nil {
		n.cfg.Tenants(n.tenants)
	}
	n.parts = n.engineParts(time.Now)
	part("memory", func(ctx context.Context) error { process.KeepHeadroom(ctx, n.flowsync.Reading); return nil })
	part("store", n.watchStore)
	part("pulses", func(ctx context.Context) error { n.watchPulses(ctx); return nil })
	part("stalled applications", func(ctx context.Context) error { n.switches.StallPart(time.Now).Run(ctx); return nil })
	part("store compaction", func(ctx context.Context) error { compactor.New(n.store, n.cfg.Log, nil).Run(ctx); return nil })
	if cluster := clusterOf(n.store); cluster.Open() {
		part("tokens of files", func(ctx context.Context) error {
			publish(ctx, cluster, n.tokens, n.cfg)
			<-ctx.Done() // a part that ends before the instance does is a fault
			return nil
		})
		part("lead of the store", func(ctx context.Context) error { leaveLead(ctx, cluster, n.cfg.Log); return nil })
	}
	part("audit", func(ctx context.Context) error { return n.audit.Run(ctx) })
	part("configuration", func(ctx context.Context) error { n.settings.Run(ctx); return nil })
	part("tenants", func(ctx context.Context) error { n.definitions.Run(ctx); return nil })
	part("tokens", func(ctx context.Context) error { n.tokens.Run(ctx); return nil })
	for _, p := range n.parts {
		if p == &n.alarms.Part && n.alarmsRun {
			continue
		}
		part(p.Name, func(ctx context.Context) error { p.Run(ctx); return nil })
	}
	if n.others != nil {
		part("requests of other instances", func(ctx context.Context) error { n.others.received.Serve(ctx, n.api); return nil })
	}
	part("API", func(ctx context.Context) error { return n.api.Serve(ctx, apiPort) })
	part("switches", func(context.Context) error {
		if held != nil {
			n.switches.Standby.Take()
			return <-held
		}
		return n.switches.Server.Serve(switchPort)
	})
	if n.cfg.Pipes != nil {
		part("pipes", func(context.Context) error { return n.switches.Server.Serve(n.gatedPipes()) })
	}
	n.announce(Addresses{
		OpenFlow: switchPort.Addr().String(), API: apiPort.Addr().String(), Name: n.cfg.Name,
		OpenFlowTLS: n.cfg.OpenFlow.TLSCert != "", APITLS: n.cfg.API.TLSCert != "", Open: n.cfg.API.Auth == "none",
	})
	<-ctx.Done()
	closing, cancel := context.WithTimeout(context.Background(), owner.ShutdownLimit)
	defer cancel()
	if owner.SteppedDown(ctx) != nil {
		by, _ := owner.DeposedBy(ctx) // the zero value: nobody knows
		n.switches.SetMasterOfAll(by.Name)
		cancel() // nothing more is for this instance to write
	}
	if err := n.switches.Server.Close(closing); err != nil {
		n.cfg.Log.Warn("some switches did not take what was queued for them", "error", err)
	}
	running.Wait()
	if outer.Err() != nil { // told to end, or another has taken the store
		return owner.SteppedDown(outer)
	}
	return context.Cause(ctx)
}

// gatedPipes are the connections inside of this process, which are written through the gate of an
// owner too.
func (n *node) gatedPipes() net.Listener {
	if n.own == nil {
		return n.cfg.Pipes
	}
	return n.own.Listener(n.cfg.Pipes)
}

// announce says where the instance listens, and how to use it.
func (n *node) announce(at Addresses) {
	n.cfg.Log.Info("instance ready", "name", n.cfg.Name, "openflow", at.OpenFlow, "api", at.API)
	if n.cfg.Ready != nil {
		n.cfg.Ready(at)
	}
}

// publish has the other instances of a cluster take the tokens of this one's files, once there are others.
func publish(ctx context.Context, members *etcd.Cluster, t *tokens.Table, cfg Config) {
	for beat.Sleep(ctx, time.Second) {
		if len(members.Members()) < 2 {
			continue
		}
		err := t.Publish(ctx, cfg.Name)
		if err == nil {
			return
		}
		cfg.Log.Debug("the other instances do not take the tokens of this one's files yet", "error", err)
	}
}

// leaveLead keeps the owner off the lead of its store, where another member can have it: no single death costs both, an owner and
// the time in which the store elects a leader.
func leaveLead(ctx context.Context, cluster *etcd.Cluster, log *slog.Logger) {
	for beat.Sleep(ctx, time.Second) {
		if err := cluster.MoveLeader(ctx); err != nil {
			log.Debug("the owner leads its store", "error", err)
		}
	}
}
