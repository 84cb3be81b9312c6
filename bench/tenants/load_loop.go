package tenants

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"time"

	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/target"
)

// Listen makes tenants' controllers, which listen until Close.
func Listen(c *Config) (*Load, error) {
	l := &Load{c: c, epoch: time.Now(), random: rand.New(rand.NewPCG(1, 1)), nap: pace.Nap, urgent: pace.Urgent}
	where, err := c.controllers()
	if err != nil {
		return nil, err
	}
	for i := range c.Tenants {
		t := newTenant(i, c)
		ln, err := l.listen(i, where[i])
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the controller of tenant %d: %w", i+1, err), l.Close())
		}
		server := newServer(l, t)
		l.tenants, l.servers = append(l.tenants, t), append(l.servers, server)
		l.addresses = append(l.addresses, ln.Addr().String())
		go func() { _ = server.Serve(ln) }()
	}
	return l, nil
}

func (l *Load) listen(tenant int, address string) (net.Listener, error) {
	if l.c.listen != nil {
		return l.c.listen(tenant)
	}
	ln, err := net.Listen("tcp", address)
	if err == nil && l.c.Nagle {
		ln = nagled{ln}
	}
	return ln, err
}

// dial connects a switch.
func (l *Load) dial(ctx context.Context, address string) (net.Conn, error) {
	if l.c.dial != nil {
		return l.c.dial(ctx, address)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err == nil && l.c.Nagle {
		target.Nagle(conn)
	}
	return conn, err
}

// Clock is the load's time.
func (l *Load) Clock() time.Duration { return time.Since(l.epoch) }

// Connect connects the switches to a hypervisor or, where there is an address for each tenant, as many switches for
// each tenant to its own; these have the same datapath ids.
func (l *Load) Connect(ctx context.Context, to ...string) error {
	for _, address := range to {
		n, err := l.newNetwork()
		if err != nil {
			return err
		}
		l.networks = append(l.networks, n)
		if err := n.Connect(ctx, address); err != nil {
			return err
		}
	}
	return nil
}

// Warm puts what is measured under load that does not count.
func (l *Load) Warm(ctx context.Context) error {
	_, err := l.Measure(ctx, l.c.Warmup, 0, nil)
	return err
}

// Measure puts what is measured under load for a time d, and for a cut before and after it that does not count; at
// the end it waits for the answers that are missing. The process is that of what is measured, or nil.
func (l *Load) Measure(ctx context.Context, d, cut time.Duration, p *target.Process) (*Sample, error) {
	sm := newSample(p)
	l.each(func(t *tenant) {
		t.window.Abandon()
		t.latency.Reset()
		t.from, t.to = never, never
		sm.before = append(sm.before, t.tally)
	})
	mods := l.flowMods()
	var err error
	if l.c.Rate > 0 {
		defer l.urgent()()
		err = l.pace(ctx, d, cut, sm)
	} else {
		err = l.keepOutstanding(ctx, d, cut, sm)
	}
	l.each(func(t *tenant) { t.refill = false })
	if err == nil {
		err = l.drain(ctx)
	}
	l.each(func(t *tenant) { sm.take(t) })
	sm.FlowMods = float64(l.flowMods()-mods) / float64(max(sm.answered(), 1))
	if err == nil {
		err = l.check()
	}
	return sm, err
}

// keepOutstanding has a number of messages of each tenant wait. A run in which nothing was answered yet goes on until
// something is, within Config.Drain.
func (l *Load) keepOutstanding(ctx context.Context, d, cut time.Duration, sm *Sample) error {
	l.each(func(t *tenant) {
		t.refill = true
		t.sendNow(l.c.Outstanding, l.Clock())
	})
	if err := pace.Wait(ctx, cut); err != nil {
		return err
	}
	l.begin(sm, l.Clock())
	if err := pace.Wait(ctx, d); err != nil {
		return err
	}
	for began := l.Clock(); l.counted(sm) == 0 && l.Clock()-began < l.c.Drain; {
		if err := pace.Wait(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	l.end(sm, l.Clock())
	return pace.Wait(ctx, cut)
}

// counted is how many messages were answered in what counts of the run.
func (l *Load) counted(sm *Sample) (n uint64) {
	l.each(func(t *tenant) { n += t.tally.counted - sm.before[t.number].counted })
	return n
}

// tick is how often messages are sent at a set rate: those that are due until the next time leave together, and are
// meant for that moment.
const tick = time.Millisecond

// pace sends messages at a set rate, those of all tenants by turns, whether answers come or not. All of a run's
// messages count whose intended times are within it.
func (l *Load) pace(ctx context.Context, d, cut time.Duration, sm *Sample) error {
	rate := float64(l.c.Rate) * float64(len(l.tenants))
	began := l.Clock() + tick
	from, to, end := began+cut, began+cut+d, began+d+2*cut
	for i, sent := 0, 0; ctx.Err() == nil; i++ {
		intended := began + time.Duration(i)*tick
		if intended >= end {
			break
		}
		if wait := intended - l.Clock(); wait > 0 {
			l.nap(wait)
		}
		if intended >= from && sm.from == 0 {
			l.begin(sm, from)
		}
		if intended >= to && sm.to == 0 {
			l.end(sm, to)
		}
		due := int((float64(i) + 1) * rate * tick.Seconds())
		if due > sent && intended >= from && intended < to {
			sm.Lateness.RecordValues(int64(max(l.Clock()-intended, 0)), int64(due-sent))
		}
		l.send(intended, due-sent)
		sent = due
	}
	if sm.from == 0 {
		l.begin(sm, from)
	}
	if sm.to == 0 {
		l.end(sm, to)
	}
	return ctx.Err()
}

// send sends so many messages, of tenants in turn, in an order that is drawn: a tenant that is always the first would
// look favoured. What is sent by one session leaves together.
func (l *Load) send(intended time.Duration, n int) {
	l.order = l.order[:0]
	for range n {
		l.order = append(l.order, l.cursor)
		l.cursor = (l.cursor + 1) % len(l.tenants)
	}
	if len(l.tenants) > 1 {
		l.random.Shuffle(n, func(i, j int) { l.order[i], l.order[j] = l.order[j], l.order[i] })
	}
	for _, i := range l.order {
		t := l.tenants[i]
		t.mu.Lock()
		t.add(intended, l.paced[i])
		t.mu.Unlock()
	}
	for _, i := range l.order {
		l.flush(l.tenants[i], l.paced[i])
	}
}

// flush sends what a tenant has to send.
func (l *Load) flush(t *tenant, outlets []*outlet) {
	for _, o := range outlets {
		if err := o.flush(); err != nil {
			t.mu.Lock()
			t.fail(err)
			t.mu.Unlock()
		}
	}
}

// drain waits until nothing waits any more, or nothing has been answered for a while.
func (l *Load) drain(ctx context.Context) error {
	last, since := -1, l.Clock()
	for began := since; l.Clock()-began < l.c.Settle; {
		n := l.waiting()
		if n == 0 {
			return nil
		}
		if n != last {
			last, since = n, l.Clock()
		}
		if l.Clock()-since >= l.c.Drain {
			return nil
		}
		if err := pace.Wait(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// Close ends all sessions; those that a peer does not read are cut.
func (l *Load) Close() error {
	for _, n := range l.networks {
		target.CloseNetwork(n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, s := range l.servers {
		_ = s.Close(ctx) // what a peer does not read is lost
	}
	return nil
}
