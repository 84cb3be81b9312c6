package campaign

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/traffic"
)

// Run measures all transfers. The error is that of a wrong configuration, of an interface, or of an
// interruption; what spoils one transfer only is in the report.
func (c *Streams) Run(ctx context.Context) (*report.Report, []Transfer, error) {
	if err := c.Check(); err != nil {
		return nil, nil, err
	}
	at := &Latency{From: c.From, To: c.To, Six: c.Six, VLAN: c.VLAN, Load: c.Load, Controller: c.Controller, Rules: c.Rules,
		Note: c.Note}
	at.From.Kept, at.To.Kept = probe.Kept, probe.Kept // the stations find each other only
	var r *report.Report
	var transfers []Transfer
	err := at.between(ctx, func(ctx context.Context, path *bed, beside *load) error {
		for _, size := range c.Sizes {
			for run := range c.Runs {
				c.Note("%s, %d bytes: run %d of %d, %v", c.Proto, size, run+1, c.Runs, c.Time)
				if err := at.again(ctx, path); err != nil {
					return err
				}
				t := Transfer{Size: size, Run: run}
				if err := c.transfer(ctx, path, beside, len(transfers), &t); err != nil {
					return err
				}
				transfers = append(transfers, t)
			}
		}
		r = c.report(path.near.nic.Stamps(), transfers)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return r, transfers, nil
}

// streamPort is that of the first transfer; each has one of its own, of so many.
const streamPort, streamPorts = 5201, 10000

// quiet is for how long nothing may have come until what is missing counts as lost.
const quiet = time.Second

// transfer does one, of a number.
func (c *Streams) transfer(ctx context.Context, b *bed, beside *load, number int, t *Transfer) error {
	far, err := b.far()
	if err != nil {
		return err
	}
	one := c.datagrams
	if c.Proto == TCP {
		one = c.connection
	}
	run, over, err := one(b, far, number, t)
	if err != nil {
		return err
	}
	defer over()
	if err := c.rule(ctx, b, far); err != nil {
		return err
	}
	if err := b.reset(ctx); err != nil {
		return err
	}
	if err := beside.mark(ctx); err != nil {
		return err
	}
	end := watchClocks(b.near, far)
	settle, err := run(ctx)
	end()
	if err != nil {
		return c.spoilt(t, err)
	}
	came, refused, err := beside.check(ctx)
	if err != nil {
		return err
	}
	if err := settle(); err != nil {
		return err
	}
	t.Load = came
	for _, e := range b.ends {
		s, err := e.take(ctx, 0, missing)
		if err != nil {
			return err
		}
		t.Unobserved += int(s.lost)
		t.Refused = cmp.Or(t.Refused, s.check(e.about().name, c.Limits))
	}
	t.Refused = cmp.Or(t.Refused, refused)
	if c.Proto == UDP {
		reached := traffic.Reached{Wanted: c.Rate, Left: t.Left(t.Size)}
		t.Refused = cmp.Or(t.Refused, reached.CheckLeft(b.near.about().name))
	}
	return nil
}

// rule has a switch of ours hold what it is to hold of the flows of a transfer.
func (c *Streams) rule(ctx context.Context, b *bed, far *local) error {
	if c.Controller == nil {
		return nil
	}
	between := stationMACs[:]
	if c.Proto == TCP { // hosts that the switch has not seen yet
		between = nil
		for i, end := range []*local{b.near, far} {
			n := hostNumber + i
			address := stationAddress(n, false).As4()
			between = append(between, stationMAC(n))
			is := packet.NewARPRequest(stationMAC(n), address, address)
			if err := end.nic.Send(packet.AppendARP(nil, &is)); err != nil {
				return err
			}
		}
		limited, cancel := context.WithTimeout(ctx, missing)
		defer cancel()
		if err := c.Controller.AwaitPlaces(limited, between...); ctx.Err() != nil {
			return err
		} // of hosts that were not seen, rules that are to be installed are refused
	}
	return c.Rules.Prepare(ctx, c.Controller, between...)
}

// spoilt keeps what spoils one transfer only: a connection that does not come about.
func (c *Streams) spoilt(t *Transfer, err error) error {
	if errors.Is(err, probe.ErrNoAnswer) {
		t.Refused = err
		return nil
	}
	return err
}

// transferring does a transfer; settle then waits for what is on its way, and notes what came of it.
type transferring func(ctx context.Context) (settle func() error, err error)

// datagrams makes the stream of a transfer, which both ends follow.
func (c *Streams) datagrams(b *bed, far *local, number int, t *Transfer) (transferring, func(), error) {
	mac, _ := b.near.station.Neighbour(b.address(1))
	d, err := traffic.New(traffic.Config{FromMAC: stationMACs[0], ToMAC: mac, From: b.address(0), To: b.address(1), VLAN: c.VLAN,
		Port: uint16(streamPort + number%streamPorts), MTU: b.near.nic.MTU(), Size: t.Size, Rate: c.Rate,
		Send: b.near.nic.SendAll})
	if err != nil {
		return nil, nil, err
	}
	b.near.tap.Follow(d, traffic.Leaving)
	far.tap.Follow(d, traffic.Coming)
	return func(ctx context.Context) (func() error, error) {
		err := d.Run(ctx, c.Time)
		return func() error {
			err := d.Settle(ctx, quiet)
			t.Outcome = d.Outcome()
			return err
		}, err
	}, func() {}, nil
}

// connection makes two hosts, and a connection between them that both ends follow.
func (c *Streams) connection(b *bed, far *local, _ int, t *Transfer) (transferring, func(), error) {
	var hosts [2]*traffic.Host
	end := func() {
		for _, h := range hosts {
			if h != nil {
				h.Close()
			}
		}
	}
	for i, cfg := range []nic.Config{c.From, c.To} {
		n := hostNumber + i
		h, err := traffic.NewHost(traffic.HostConfig{Interface: cfg, MAC: stationMAC(n), Address: stationAddress(n, false)})
		if hosts[i] = h; err != nil {
			end()
			return nil, nil, err
		}
	}
	seen := traffic.NewConnection(hosts[0].Address(), hosts[1].Address())
	b.near.tap.FollowConnection(seen, traffic.Leaving)
	far.tap.FollowConnection(seen, traffic.Coming)
	return func(ctx context.Context) (func() error, error) {
		x := traffic.TCP{From: hosts[0], To: hosts[1], Window: t.Size, Long: c.Time, Begun: func(at time.Time) {
			if b.near.nic.Stamps() == nic.Software { // which are of the same clock
				seen.Begin(probe.Stamp(at.UnixNano()))
			}
		}}
		sent, err := x.Run(ctx)
		if err != nil {
			return nil, err
		}
		t.Retransmitted, t.Segments = sent.Retransmitted, sent.Segments
		return func() error {
			err := seen.Settle(ctx, quiet)
			t.Outcome, t.Handshake = seen.Outcome(), seen.Handshake()
			t.Throughput, t.Took, t.Underway = sent.Throughput(), sent.Took, seen.Underway()
			return err
		}, nil
	}, end, nil
}

// hostNumber is that of the near host of TCP, among stations: beyond those of load.
const hostNumber = 100

// watchClocks has clocks read now and then for ends, until end is called: a slow change of the
// clock's speed is no step.
func watchClocks(ends ...*local) (end func()) {
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(clockPeriod):
				for _, e := range ends {
					e.readClocks()
				}
			}
		}
	}()
	return func() {
		close(stop)
		<-done
	}
}

func (e *local) readClocks() {
	c := nic.ReadClocks()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clocks = append(e.clocks, c)
}

// clockPeriod is how often clocks are read while a stream goes.
const clockPeriod = 250 * time.Millisecond

// check finds why a round in which a stream went has no result.
func (s *seen) check(name string, limits probe.Limits) error {
	counts := s.counts
	counts.Frames += s.streams
	return cmp.Or(checkLost(s.lost, s.streams, name), limits.CheckCounts(name, counts), probe.Steady(s.clocks))
}
