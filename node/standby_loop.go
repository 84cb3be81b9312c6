package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/api"
	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/owner"
)

// standby serves what can be said of an instance that waits for the store: that it lives, is not
// ready, and who is the owner. Switches are not served.
type standby struct {
	cfg   *Config
	own   *owner.Claim
	store store.Store
	owner atomic.Pointer[owner.Instance]
	view  *netview.View
	board *alarm.Board
}

// waitForStore returns when this instance owns the store, and serves the API as a standby while
// another does. The error is the context's, or why the API ended.
func waitForStore(ctx context.Context, cfg *Config, st store.Store, o *owner.Claim) error {
	s := &standby{cfg: cfg, store: st, own: o, view: netview.New(netview.Limits{})}
	s.board = alarm.New(s.view)
	serving, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	var failed error
	err := o.Wait(ctx, cfg.Log, func(other *owner.Instance) {
		first := s.owner.Swap(other) == nil
		s.board.Raise(netview.AlarmStore, "owner", "this instance is a standby: "+other.String()+" owns the store")
		if !first {
			return
		}
		l, serve, follow, err := s.listen()
		if err != nil {
			cfg.Log.Error("the API of the standby is not served", "error", err)
			return
		}
		running.Go(func() { failed = serve(serving, l) })
		running.Go(func() { follow(serving) })
	})
	stop()
	running.Wait()
	return errors.Join(err, failed)
}

// listen opens the API. follow has it take the tokens that are in the store.
func (s *standby) listen() (l net.Listener, serve func(context.Context, net.Listener) error, follow func(context.Context),
	err error) {
	stack, err := s.cfg.apiStack()
	if err != nil {
		return nil, nil, nil, err
	}
	l, err = net.Listen("tcp", s.cfg.API.Listen)
	if err != nil {
		return nil, nil, nil, err
	}
	table := s.cfg.tokens(s.store, stack.Access.Tokens, nil, s.board)
	stack.Access.Issued = table
	stack.Standby = s.ready
	served := api.New(api.Config{StackConfig: stack, View: s.view, Members: s.members, Ready: s.ready})
	return l, served.Serve, table.Run, nil
}

func (s *standby) ready() error {
	return fmt.Errorf("this instance is a standby: %s owns the store, and is to be asked", s.owner.Load())
}

// members are all, as this standby knows them.
func (s *standby) members() []client.Member {
	self := client.Member{Name: s.cfg.Name, Address: s.cfg.API.Listen, State: "standby"}
	return memberRows(clusterOf(s.store), s.own, self, s.owner.Load())
}
