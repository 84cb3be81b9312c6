package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/target"
)

// startRun is one run of Start.
type startRun struct {
	*startScore
	process *target.Process
	api     *client.Client

	ready, all, idle time.Duration
	empty, loaded    int64
	mallocs          float64 // of the time at rest
	first            int
}

// startView starts what a scenario measures in which a network comes into the view: an instance, or
// the null instance that knows the topology.
func startView(ctx context.Context, null bool, program, topology string, seed uint64) (*target.Process, error) {
	if null {
		return target.StartNullView(ctx, topology, seed)
	}
	return target.StartIn(ctx, "", program)
}

// shownLimit is how long a switch may take to be shown.
const shownLimit = 10 * time.Second

func (s *startRun) measure(ctx context.Context) error {
	p, err := startView(ctx, s.null, s.c.Program, s.c.Topology, s.c.Seed)
	if err != nil {
		return err
	}
	defer p.Stop()
	s.process = p
	if s.api, err = client.New(client.Config{Address: p.API}); err != nil {
		return err
	}
	defer s.api.Close()
	if err := target.AwaitReady(ctx, s.api); err != nil {
		return err
	}
	s.ready = time.Since(p.Began)
	s.empty = p.Memory()
	if err := s.together(ctx); err != nil {
		return err
	}
	return s.oneByOne(ctx)
}

// together connects all switches at once, and leaves them at rest.
func (s *startRun) together(ctx context.Context) error {
	net := loadswitch.New(s.c.topology, loadswitch.Config{Version: s.c.Version, Hosts: 1})
	defer target.CloseNetwork(net)
	began := time.Now()
	if err := net.Connect(ctx, s.process.Address); err != nil {
		return err
	}
	for {
		page, err := s.api.Switches(ctx)
		if err != nil {
			return err
		}
		s.all = time.Since(began)
		n := 0
		for i := range page.Items {
			if page.Items[i].Connected {
				n++
			}
		}
		if n == len(s.c.topology.Switches) {
			break
		}
		if s.all > shownLimit {
			return fmt.Errorf("%d of %d switches are shown after %v", n, len(s.c.topology.Switches), shownLimit)
		}
		pace.Nap(500 * time.Microsecond)
	}
	if err := target.AwaitLinks(ctx, s.api, s.c.topology, shownLimit); err != nil {
		return err
	}
	if err := pace.Wait(ctx, s.c.Rest); err != nil {
		return err
	}
	s.mallocs = -s.process.Mallocs(ctx)
	before := s.process.CPU()
	if err := pace.Wait(ctx, s.c.Idle); err != nil {
		return err
	}
	s.idle, s.loaded = s.process.CPU()-before, s.process.Memory()
	s.mallocs += s.process.Mallocs(ctx)
	if n := net.Disconnected(); n > 0 {
		return fmt.Errorf("%d sessions were ended", n)
	}
	return nil
}

// oneByOne connects other switches, one after the other, and asks for each as soon as its handshake
// is done.
func (s *startRun) oneByOne(ctx context.Context) error {
	net := loadswitch.New(s.c.topology, loadswitch.Config{Version: s.c.Version, Hosts: 1, FirstID: 1 << 20})
	defer target.CloseNetwork(net)
	for _, sw := range net.Switches {
		if err := net.ConnectOne(ctx, sw, s.process.Address); err != nil {
			return err
		}
		if err := s.await(ctx, net, sw); err != nil {
			return err
		}
	}
	return nil
}

// await asks for a switch until it is shown.
func (s *startRun) await(ctx context.Context, net *loadswitch.Network, sw *loadswitch.Switch) error {
	began := net.Age()
	for !sw.DescribedWhole() {
		if net.Age()-began > shownLimit {
			return fmt.Errorf("switch %d was not asked what it is", sw.DatapathID())
		}
		pace.Nap(20 * time.Microsecond)
	}
	for n := 1; ; n++ {
		asked := net.Age()
		row, err := s.api.Switch(ctx, client.FormatDPID(sw.DatapathID()))
		answered := net.Age()
		if err == nil && row.Connected {
			s.shown.Record(int64(answered - sw.Described()))
			s.sent.Record(int64(asked - sw.Described()))
			s.request.Record(int64(answered - asked))
			if n == 1 {
				s.first++
			}
			return nil
		}
		var problem *client.Problem
		if err != nil && !errors.As(err, &problem) || answered-began > shownLimit {
			return fmt.Errorf("switch %d is not shown: %w", sw.DatapathID(), err)
		}
	}
}
