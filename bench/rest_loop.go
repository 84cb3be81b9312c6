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
	"github.com/weirnet/weir/openflow"
)

// restRun is one run of Rest.
type restRun struct {
	c     *Rest
	api   *client.Client
	net   *emu.Network
	pings []*host.Ping

	linked         time.Duration
	usage          target.Usage
	sent, received int
	lost           int
	fidelity       emu.Fidelity
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
	s.net, err = emu.New(emu.Config{Topology: s.c.topology, Versions: []openflow.Version{openflow.V13},
		Controllers: []string{p.Address}, Seed: s.c.Seed})
	if err != nil {
		return err
	}
	defer closeEmulated(s.net)
	began := time.Now()
	if err := s.net.Start(ctx); err != nil {
		return err
	}
	if err := target.AwaitLinks(ctx, s.api, s.c.topology, s.c.Limit); err != nil {
		return fmt.Errorf("%w (%w)", err, report.ErrSlow)
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
	s.usage = target.UsageSince(before, p)
	s.sent, s.received = s.pingTotals()
	s.sent, s.received = s.sent-sent, s.received-received
	shown, err := target.LinksShown(ctx, s.api)
	if err != nil {
		return err
	}
	s.lost = 2*len(s.c.topology.Links) - shown
	s.fidelity = s.net.Fidelity()
	if s.received == 0 {
		return fmt.Errorf("%w: %d pings were sent", report.ErrNothing, s.sent)
	}
	return nil
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
