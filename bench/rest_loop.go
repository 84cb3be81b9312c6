package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/host"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// restRun is one run of Rest.
type restRun struct {
	c        *Rest
	topology *topo.Topology
	api      *client.Client
	net      *emu.Network
	pings    []*host.Ping

	elapsed, linked   time.Duration
	instance, network time.Duration // CPU time
	sent, received    int
	lost              int
	memory, own       int64
	fidelity          emu.Fidelity
}

func (s *restRun) run(ctx context.Context) error {
	p, err := target.StartIn(ctx, "", s.c.Program)
	if err != nil {
		return err
	}
	defer p.Stop()
	if s.api, err = client.New(client.Config{Address: p.API}); err != nil {
		return err
	}
	defer s.api.Close()
	s.net, err = emu.New(emu.Config{Topology: s.topology, Versions: []openflow.Version{openflow.V13},
		Controllers: []string{p.Address}, Seed: s.c.Seed})
	if err != nil {
		return err
	}
	defer closeEmulated(s.net)
	began := time.Now()
	if err := s.net.Start(ctx); err != nil {
		return err
	}
	if err := s.await(ctx); err != nil {
		return err
	}
	s.linked = time.Since(began)
	if err := s.startPings(ctx); err != nil {
		return err
	}
	if err := pace.Wait(ctx, s.c.Settle); err != nil {
		return err
	}
	return s.measure(ctx, p)
}

// measure takes what both processes use.
func (s *restRun) measure(ctx context.Context, p *target.Process) error {
	sent, received := s.pingTotals()
	before := target.ReadCPUTimes(p)
	if err := pace.Wait(ctx, s.c.Duration); err != nil {
		return err
	}
	after := target.ReadCPUTimes(p)
	s.sent, s.received = s.pingTotals()
	s.sent, s.received = s.sent-sent, s.received-received
	s.elapsed, s.instance, s.network = after.At.Sub(before.At), after.Target-before.Target, after.Generator-before.Generator
	s.memory, s.own = p.Memory(), target.OwnMemory()
	shown, err := target.LinksShown(ctx, s.api)
	if err != nil {
		return err
	}
	s.lost = 2*len(s.topology.Links) - shown
	s.fidelity = s.net.Fidelity()
	if s.received == 0 {
		return fmt.Errorf("%w: %d pings were sent", report.ErrNothing, s.sent)
	}
	return nil
}

// await waits until all links are shown both ways.
func (s *restRun) await(ctx context.Context) error {
	want := 2 * len(s.topology.Links)
	for began := time.Now(); ; {
		n, err := target.LinksShown(ctx, s.api)
		if err == nil && n == want {
			return nil
		}
		if time.Since(began) > s.c.Limit {
			return fmt.Errorf("%d of %d directions of links are shown after %v (%w)", n, want, s.c.Limit, report.ErrSlow)
		}
		if err := pace.Wait(ctx, target.PollPeriod); err != nil {
			return err
		}
	}
}

// startPings has each host ping the one at the other end of the list, without end; they begin one
// after the other, over an interval.
func (s *restRun) startPings(ctx context.Context) (err error) {
	hosts := s.net.Hosts()
	s.pings = make([]*host.Ping, len(hosts))
	for i, h := range hosts {
		to := hosts[(i+len(hosts)/2)%len(hosts)].Spec().IPv4.Addr()
		h.Do(func(st *host.Host, now time.Duration, _ host.Output) {
			var e error
			if s.pings[i], e = st.Ping(host.PingSpec{Dst: to, Interval: s.c.Interval}, now); e != nil {
				err = e
			}
		})
		if e := pace.Wait(ctx, s.c.Interval/time.Duration(len(hosts))); e != nil {
			return e
		}
	}
	return err
}

// pingTotals is how many pings were sent and answered so far.
func (s *restRun) pingTotals() (sent, received int) {
	for i, h := range s.net.Hosts() {
		h.Do(func(*host.Host, time.Duration, host.Output) {
			r := s.pings[i].Report()
			sent, received = sent+int(r.Sent), received+int(r.Received)
		})
	}
	return sent, received
}
