package campaign

import (
	"cmp"
	"context"
	"time"

	"github.com/weirnet/weir/bench/report"
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
	b, err := openBed([2]nic.Config{c.From, c.To}, plan{six: c.Six, vlan: c.VLAN})
	if err != nil {
		return nil, nil, err
	}
	defer b.close()
	if err := b.join(ctx); err != nil {
		return nil, nil, err
	}
	beside, err := b.startLoad(ctx, &c.Load)
	if err != nil {
		return nil, nil, err
	}
	defer beside.close()
	var transfers []Transfer
	for _, size := range c.Sizes {
		for run := range c.Runs {
			c.Note("%d bytes: run %d of %d, %v", size, run+1, c.Runs, c.Time)
			if err := b.join(ctx); err != nil { // again: what switches and stations know ages
				return nil, nil, err
			}
			t := Transfer{Size: size, Run: run}
			if err := c.transfer(ctx, b, beside, len(transfers), &t); err != nil {
				return nil, nil, err
			}
			transfers = append(transfers, t)
		}
	}
	return c.report(b.near.nic.Stamps(), transfers), transfers, nil
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
	d, err := b.datagrams(c, far, number, t.Size)
	if err != nil {
		return err
	}
	if err := b.reset(ctx); err != nil {
		return err
	}
	if err := beside.mark(ctx); err != nil {
		return err
	}
	begun, end := time.Now(), watchClocks(b.near, far)
	err = d.Run(ctx, c.Time)
	end()
	if err != nil {
		return err
	}
	t.Took = max(time.Since(begun), c.Time)
	came, refused, err := beside.check(ctx)
	if err != nil {
		return err
	}
	if err := d.Settle(ctx, quiet); err != nil {
		return err
	}
	t.Outcome, t.Load = d.Outcome(), came
	reached := traffic.Reached{Wanted: c.Rate, Left: t.offered()}
	for i, e := range b.ends {
		s, err := e.take(ctx, 0, missing)
		if err != nil {
			return err
		}
		t.Unobserved += int(s.lost)
		t.Refused = cmp.Or(t.Refused, s.check(e.about().name, c.Limits))
		if i == 0 {
			t.Refused = cmp.Or(t.Refused, reached.CheckLeft(e.about().name), refused)
		}
	}
	return nil
}

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
	c := readClocks()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.clocks = append(e.clocks, c)
}

// clockPeriod is how often clocks are read while a stream goes.
const clockPeriod = 250 * time.Millisecond

// datagrams makes the stream of a transfer, which both ends follow.
func (b *bed) datagrams(c *Streams, far *local, number, size int) (*traffic.Datagrams, error) {
	mac, _ := b.near.station.Neighbour(b.address(1))
	d, err := traffic.New(traffic.Config{FromMAC: stationMACs[0], ToMAC: mac, From: b.address(0), To: b.address(1), VLAN: c.VLAN,
		Port: uint16(streamPort + number%streamPorts), MTU: b.near.nic.MTU(), Size: size, Rate: c.Rate, Send: b.near.nic.SendAll})
	if err != nil {
		return nil, err
	}
	b.near.tap.Follow(d, traffic.Leaving)
	far.tap.Follow(d, traffic.Coming)
	return d, nil
}

// check finds why a round in which a stream went has no result.
func (s *seen) check(name string, limits probe.Limits) error {
	counts := s.counts
	counts.Frames += s.streams
	return cmp.Or(checkLost(s.lost, s.streams, name), limits.CheckCounts(name, counts), probe.Steady(s.clocks))
}
