package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/relay"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/compactor"
	"github.com/weirnet/weir/store/owner"
)

// standby is an instance while another one owns the store. It serves what can be said of it: that it lives, is not ready,
// and who the owner is; and it holds the sessions of switches, so that they need not connect when it takes over. What it
// has opened then the instance goes on with.
type standby struct {
	*node        // with the view, the alarms and, once they are held, the switches
	begun Config // node.cfg is another's once this instance owns the store
	own   *owner.Claim
	store store.Store
	peers *peers // nil: there can be none
	owner atomic.Pointer[owner.Instance]
	// forward has the owner answer what this instance cannot; nil: the store is elsewhere, and there is no way.
	forward *relay.Forwarder

	switchPort, apiPort *port
	held                chan error // what Serve for switches has returned, once it has
	stop                func()     // has the API of the standby end
	stopAlarms          func()
	running             sync.WaitGroup
}

// newStandby makes one, which serves nothing yet. apiPort is open already, and its own now; nil: it is not open.
func newStandby(cfg *Config, st store.Store, own *owner.Claim, others *peers, apiPort *port) *standby {
	n := &node{cfg: *cfg, terms: own.Terms(), owns: own.Terms().Only(), others: others, view: netview.New(netview.Limits{})}
	s := &standby{node: n, begun: *cfg, store: st, own: own, peers: others, apiPort: apiPort, stop: func() {}}
	s.alarms = alarm.New(s.view)
	s.alarmsRun = true
	shown, stop := context.WithCancel(context.Background())
	s.running.Go(func() { s.alarms.Run(shown) })
	s.stopAlarms = stop
	return s
}

// wait returns when this instance owns the store, and stands by while another does. An error is the context's, or why the
// store has stopped by itself.
func (s *standby) wait(ctx context.Context) error {
	defer func() { s.followed.end() }()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer func() {
		if s.forward == nil {
			s.stop()
		}
	}()
	if members := clusterOf(s.store); members != nil {
		s.running.Go(func() {
			select {
			case <-ctx.Done():
			case <-s.store.(failing).Ended():
				end(errors.Join(members.Removed(), errStoreEnded))
			}
		})
	}
	serves := false
	err := s.own.Wait(ctx, s.begun.Log, func(other *owner.Instance) {
		if other != nil {
			s.owner.Store(other)
		}
		if s.forward != nil && other != nil {
			s.forward.Decides(other.Incarnation)
		}
		if other != nil && s.peers != nil { // it stands by as it is to, and has the owner answer
			s.alarms.Clear(netview.AlarmStore, "owner")
		} else {
			s.alarms.Raise(netview.AlarmStore, "owner", s.ready().Error())
		}
		if serves {
			return
		}
		serves = true
		s.followed = followJournals(ctx, s.node, s.store)
		if err := s.holdSwitches(); err != nil {
			s.begun.Log.Error("the standby holds no sessions of switches: they connect when it takes over", "error", err)
		}
		if err := s.serveAPI(ctx); err != nil {
			s.begun.Log.Error("the API of the standby is not served", "error", err)
		}
	})
	if err != nil {
		return context.Cause(ctx)
	}
	return nil
}

// serveAPI serves the API of a standby, until stop. What it does for the others ends with the context.
func (s *standby) serveAPI(ctx context.Context) error {
	stack, err := s.begun.apiStack()
	if err != nil {
		return err
	}
	if s.apiPort == nil {
		l, err := net.Listen("tcp", s.begun.API.Listen)
		if err != nil {
			return err
		}
		s.apiPort = newPort(l)
	}
	table := s.begun.tokens(s.store, stack.Access.Tokens, nil, s.alarms)
	stack.Access.Issued = table
	stack.Standby = s.ready
	ready := s.ready
	if s.peers != nil {
		s.forward = s.peers.forwarder()
		stack.Forward, ready = s.forward, s.forward.Ready
	}
	served := api.New(api.Config{StackConfig: stack, View: s.view, Instance: s.begun.Name, Members: s.members, Ready: ready})
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	port := s.apiPort.lend()
	s.running.Go(func() {
		if err := served.Serve(serving, port); err != nil {
			s.begun.Log.Error("the API of the standby has ended", "error", err)
		}
	})
	s.running.Go(func() { table.Run(serving) })
	if members := clusterOf(s.store); members.Open() {
		s.running.Go(func() { publish(ctx, members, table, s.begun) })
		s.running.Go(func() { compactor.NewFollower(s.store, s.begun.Log, nil).Run(ctx) })
	}
	return nil
}

// holdSwitches has switches connect, and holds their sessions.
func (s *standby) holdSwitches() error {
	if err := s.openSouthbound(); err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.begun.OpenFlow.Listen)
	if err != nil {
		s.switches = nil
		return err
	}
	s.switchPort = newPort(l)
	s.switches.Standby.Hold()
	s.held = make(chan error, 1)
	s.running.Go(func() { s.held <- s.switches.Server.Serve(s.own.Listener(s.switchPort.lend())) })
	return nil
}

// ask asks the switches for the role of master, in the term that this instance has begun.
func (s *standby) ask() {
	if s.switches != nil {
		s.switches.Standby.Ask()
	}
}

// handOver has requests that wait for an owner answered by the API of this instance, which owns the store now, and ends
// that of the standby, whose connections go on with the other one's.
func (s *standby) handOver(served http.Handler) {
	if s == nil {
		return
	}
	if s.forward == nil {
		s.stop()
		return
	}
	s.forward.TakeOver(served)
	s.running.Go(func() {
		s.drain()
		s.stop()
		s.forward.Close()
	})
}

// drain waits until requests that this instance has not answered are, for a time.
func (s *standby) drain() {
	if s.forward == nil {
		return
	}
	for until := time.Now().Add(drainLimit); s.forward.Waiting() > 0 && time.Now().Before(until); {
		time.Sleep(drainLook)
	}
}

// drainLimit is how long requests that wait at the API of a standby may take once it owns the store, or is to end. Those that
// still go on then, streams too, are ended, as by a restart; drainLook is how often it is looked whether they are answered.
const (
	drainLimit = 500 * time.Millisecond
	drainLook  = 5 * time.Millisecond
)

// end ends what is served and held, and waits.
func (s *standby) end() {
	s.drain()
	s.stop()
	if s.switches != nil {
		s.switches.Server.Close(context.Background())
	}
	for _, p := range []*port{s.switchPort, s.apiPort} {
		if p != nil {
			p.end()
		}
	}
	s.stopAlarms()
	s.running.Wait()
}

// ports are those that the standby has opened, or nil.
func (s *standby) ports() (switchPort, apiPort net.Listener) {
	if s == nil {
		return nil, nil
	}
	if s.switchPort != nil {
		switchPort = s.switchPort.lend()
	}
	if s.apiPort != nil {
		apiPort = s.apiPort.lend()
	}
	return switchPort, apiPort
}

func (s *standby) ready() error {
	if s.owner.Load() == nil {
		return errors.New("this instance is a standby: the store does not say who owns it")
	}
	return fmt.Errorf("this instance is a standby: %s owns the store, and is to be asked", s.owner.Load())
}

// members are all, as this standby knows them.
func (s *standby) members() []client.Member {
	self := client.Member{Name: s.begun.Name, Address: s.begun.API.Listen, State: "standby"}
	return memberRows(clusterOf(s.store), s.peers, s.own, self, s.owner.Load())
}

// holds is what serving the switches' port returns, where that has begun already; nil: it has not.
func (s *standby) holds() <-chan error {
	if s == nil || s.held == nil {
		return nil
	}
	return s.held
}
