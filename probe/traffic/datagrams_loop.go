package traffic

import (
	"context"
	"math"
	"time"

	"github.com/weirnet/weir/bench/pace"
)

const (
	// quantum is how long a sender sleeps at least: what is due meanwhile goes at once.
	quantum = 200 * time.Microsecond
	// batch is how many frames are sent at once at most, but for those of one datagram: no more of
	// them than a switch has room for.
	batch = 64
)

// Run sends datagrams at the stream's rate for a time, 0 for as long as the context lives, whose end
// is no error. It makes up for lateness, up to where the rate cannot be reached any more. The error is
// the interface's.
func (d *Datagrams) Run(ctx context.Context, long time.Duration) error {
	each := d.cfg.each()
	t := newTemplate(&d.cfg, 1)
	most := max(batch/t.each, 1)
	t = newTemplate(&d.cfg, most)
	total, limit := ^uint64(0), time.Duration(math.MaxInt64)
	if long > 0 {
		total, limit = max(uint64(float64(long)/each), 1), long+long/10+latest
	}
	begun := time.Now()
	for sent := uint64(0); sent < total && ctx.Err() == nil; {
		elapsed := time.Since(begun)
		if elapsed > limit {
			return nil
		}
		due := min(uint64(float64(elapsed)/each)+1, total)
		if due <= sent {
			at := begun.Add(time.Duration(float64(sent) * each))
			pace.Nap(min(max(time.Until(at), quantum), longNap))
			continue
		}
		n := min(due-sent, uint64(most))
		if err := d.cfg.Send(t.numbered(sent, int(n))...); err != nil {
			return err
		}
		sent += n
		d.took.Store(int64(time.Since(begun)))
		d.offered.Store(sent)
	}
	return nil
}

// latest is how late a short stream may be.
const latest = 200 * time.Millisecond

// longNap is how soon a slow stream sees that it is to end.
const longNap = 100 * time.Millisecond

// Settle waits until all that was offered has come, or nothing has come for a time.
func (d *Datagrams) Settle(ctx context.Context, quiet time.Duration) error {
	return settle(ctx, quiet, func() (came uint64, all bool) {
		came, _ = d.arrived()
		return came, came >= d.offered.Load()
	})
}

// Settle waits until all that was seen to leave has come, or nothing has come for a time.
func (c *Connection) Settle(ctx context.Context, quiet time.Duration) error {
	return settle(ctx, quiet, func() (came uint64, all bool) {
		o := c.Outcome()
		return uint64(o.Received), o.Received > 0 && o.Lost == 0 && o.Unmatched == 0
	})
}

// settle waits until all has come, or nothing has come for a time. It looks now and then: to be told of
// each of 80,000 packets a second would take the path's own time.
func settle(ctx context.Context, quiet time.Duration, arrived func() (came uint64, all bool)) error {
	for last, since := ^uint64(0), time.Now(); time.Since(since) < quiet; {
		count, all := arrived()
		if all {
			return nil
		}
		if count != last {
			last, since = count, time.Now()
		}
		if err := pace.Wait(ctx, settling); err != nil {
			return err
		}
	}
	return nil
}

const settling = 5 * time.Millisecond

// Meter looks at whether a stream keeps its rate, from when it is made on.
type Meter struct {
	stream        *Datagrams
	begun         time.Time
	offered, came uint64
}

// shortest is for how long a rate is looked at, at least: less is a matter of batches.
const shortest = time.Second

// catchUp is how long a datagram that was offered may take until it is seen to come.
const catchUp = time.Second

// Meter begins to look at a stream that goes on.
func (d *Datagrams) Meter(ctx context.Context) (*Meter, error) {
	m := &Meter{stream: d, begun: time.Now(), offered: d.offered.Load()}
	err := d.await(ctx, m.offered)
	m.came, _ = d.arrived()
	return m, err
}

// await waits until the datagram before a number, or a later one, has come.
func (d *Datagrams) await(ctx context.Context, number uint64) error {
	return pace.Until(ctx, time.Millisecond, catchUp, func() (bool, error) {
		_, next := d.arrived()
		return next >= number, nil
	}, func() error { return nil })
}

// Reached is what the stream did since the meter was made.
func (m *Meter) Reached(ctx context.Context) (Reached, error) {
	if err := pace.Wait(ctx, shortest-time.Since(m.begun)); err != nil {
		return Reached{}, err
	}
	took, offered := time.Since(m.begun), m.stream.offered.Load()
	err := m.stream.await(ctx, offered)
	came, _ := m.stream.arrived()
	d := m.stream
	return Reached{Wanted: d.cfg.Rate, Left: d.rate(offered-m.offered, took), Came: d.rate(came-m.came, took),
		One: d.rate(1, took)}, err
}
