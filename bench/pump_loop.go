package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/weirnet/weir/bench/rig"
)

// pump asks for paths and withdraws them, in requests of many, over several connections at a time. Without a rate the switches lead: no more
// paths than its window are on their way to them, and no more on their way from them. With a rate requests leave at their times, as long as a
// connection is free, and what is late counts as time that the answer took.
type pump struct {
	g      *ground
	form   Form
	batch  int // paths of a request
	conns  int // requests at a time
	window int // paths
	rate   int // installs and withdrawals a second together; 0: none
	active int // paths that are kept: when there are so many, one is withdrawn for each that is asked for
	// filling: it ends when there are so many.
	filling bool

	stop    context.CancelFunc
	running sync.WaitGroup

	mu        sync.Mutex
	put       int64 // entries that switches had received beyond those of the ground's paths when the pump began
	removed   int64
	paced     time.Time // since when requests leave at their times
	issued    int       // requests since then
	halted    bool
	err       error                   // the first
	latency   *hdrhistogram.Histogram // of requests, to their whole answer
	late      *hdrhistogram.Histogram // how much later than meant requests left
	overloads int                     // answers that asked to come again later
}

// job is one request.
type job struct {
	withdraw bool
	n, count int
	at       time.Time // when it was meant to leave
}

// Requests of a pump.
const (
	pumpBatch  = 500
	pumpConns  = 4
	pacedConns = 32
	pumpWindow = 20_000
)

// newPump makes a pump that goes on from the paths of the ground.
func (g *ground) newPump(form Form, active, rate int) *pump {
	p := &pump{g: g, form: form, batch: pumpBatch, conns: pumpConns, window: pumpWindow, rate: rate, active: active, latency: newLatency(), late: newLatency()}
	if rate > 0 {
		p.conns = pacedConns
		p.batch = min(max(rate/100, 1), pumpBatch)
	}
	return p
}

// start starts pumping.
func (p *pump) start(ctx context.Context) {
	t := p.g.net.Tally()
	hops := int64(p.g.asks.hops)
	p.put, p.removed = int64(t.Put)-int64(p.g.next)*hops, int64(t.Removed)-int64(p.g.first)*hops
	ctx, p.stop = context.WithCancel(ctx)
	for range p.conns {
		p.running.Go(func() {
			if err := p.work(ctx); err != nil {
				p.fail(err)
			}
		})
	}
}

// fail ends the pump.
func (p *pump) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
	}
	p.halted = true
}

// failed is why the pump ended, if it did not just halt.
func (p *pump) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// halt asks for nothing more, and waits for the answers.
func (p *pump) halt() error {
	p.mu.Lock()
	p.halted = true
	p.mu.Unlock()
	p.running.Wait()
	p.stop()
	return p.err
}

// work does requests, one after the other, over a connection of its own.
func (p *pump) work(ctx context.Context) error {
	a, err := p.g.asker(ctx)
	if err != nil {
		return err
	}
	defer a.close()
	var body, request []byte
	for {
		j, wait, ended := p.take()
		if ended || ctx.Err() != nil {
			return ctx.Err()
		}
		if wait > 0 {
			time.Sleep(wait)
			continue
		}
		path, form := intentsPath, p.form
		if j.withdraw {
			body, path, form = p.form.appendWithdraw(body[:0], j.n, j.count)
		} else {
			body = p.form.appendInstall(body[:0], p.g.asks, j.n, j.count)
		}
		request = a.appendRequest(request[:0], path, form, body)
		if err := p.do(ctx, a, &j, request); err != nil {
			return err
		}
	}
}

// do does a request and checks its answer.
func (p *pump) do(ctx context.Context, a *asker, j *job, request []byte) error {
	late := time.Since(j.at)
	answer, busy, err := a.ask(ctx, request)
	if err != nil {
		return err
	}
	p.mu.Lock()
	record(p.latency, int64(time.Since(j.at)))
	record(p.late, int64(late))
	p.overloads += busy
	p.mu.Unlock()
	if err := p.form.accepted(answer, j.count); err != nil {
		return fmt.Errorf("paths %d to %d: %w", j.n, j.n+j.count-1, err)
	}
	return nil
}

// napFor is how long a connection without a request waits before it looks again.
const napFor = 200 * time.Microsecond

// take is the next request, or how long to wait for one.
func (p *pump) take() (j job, wait time.Duration, ended bool) {
	t := p.g.net.Tally()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return j, 0, true
	}
	held := p.g.next - p.g.first
	switch {
	case held >= p.active && p.filling:
		return j, 0, true
	case held >= p.active && p.rate > 0: // what fills the network first has no times
		return p.paces()
	}
	in, out := p.behind(&t)
	switch {
	case held >= p.active+p.batch && out < p.window:
		return p.next(true), 0, false
	case held < p.active+p.batch && in < p.window:
		return p.next(false), 0, false
	}
	return j, napFor, false
}

// paces is the next request at a set rate, or how long to wait for it; p.mu is held.
func (p *pump) paces() (j job, wait time.Duration, ended bool) {
	now := time.Now()
	if p.paced.IsZero() {
		p.paced = now
	}
	at := p.paced.Add(time.Duration(float64(p.issued*p.batch) / float64(p.rate) * 1e9))
	if wait := at.Sub(now); wait > 0 {
		return j, min(wait, time.Millisecond), false
	}
	p.issued++
	j = p.next(p.issued%2 == 0)
	j.at = at
	return j, 0, false
}

// next takes paths for a request; p.mu is held.
func (p *pump) next(withdraw bool) job {
	j := job{withdraw: withdraw, n: p.g.next, count: p.batch, at: time.Now()}
	if withdraw {
		j.n = p.g.first
		p.g.first += j.count
	} else {
		if left := p.active - (p.g.next - p.g.first); left > 0 {
			j.count = min(j.count, left)
		}
		p.g.next += j.count
	}
	return j
}

// behind is how many paths are on their way to the switches, and from them; p.mu is held.
func (p *pump) behind(t *rig.Tally) (in, out int) {
	hops := int64(p.g.asks.hops)
	return p.g.next - int((int64(t.Put)-p.put)/hops), p.g.first - int((int64(t.Removed)-p.removed)/hops)
}

// left is behind, for those who do not hold the lock.
func (p *pump) left() (in, out int) {
	t := p.g.net.Tally()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.behind(&t)
}

// fill pumps until the network has all its paths, and checks them.
func (g *ground) fill(ctx context.Context, form Form, active int) error {
	p := g.newPump(form, active, 0)
	p.filling = true
	p.start(ctx)
	p.running.Wait()
	if err := p.halt(); err != nil {
		return err
	}
	return g.settled(ctx, p)
}

// settled waits until nothing is on its way, and checks that switches have the entries of all paths, and no others of paths. A path that was
// withdrawn before a switch was told of it has none there, and does not count as one that was installed.
func (g *ground) settled(ctx context.Context, p *pump) error {
	t := g.net.Tally()
	rested := time.Now()
	return g.until(ctx, func() error {
		in, out := p.left()
		if now := g.net.Tally(); now != t {
			t, rested = now, time.Now()
		}
		if in > 0 || out > 0 {
			if time.Since(rested) < time.Second {
				return fmt.Errorf("%w: %s paths asked for, %s withdrawn, and switches have %s entries put and %s removed in %s flow-mods", errMissing,
					thousands(float64(g.next)), thousands(float64(g.first)), thousands(float64(t.Put)), thousands(float64(t.Removed)), thousands(float64(t.FlowMods)))
			}
			rested = time.Now()
		}
		if err := g.verify(true, g.first, g.next); err != nil {
			return fmt.Errorf("%w; %s", err, g.broken())
		}
		return nil
	})
}

// asked is the range of the paths that are asked for and not withdrawn.
func (p *pump) asked() (first, next int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.g.first, p.g.next
}

// count forgets the times of requests so far.
func (p *pump) count() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latency.Reset()
	p.late.Reset()
	p.overloads = 0
}

// due is how many paths should have been asked for or withdrawn by now at the pump's rate, and were not.
func (p *pump) due() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paced.IsZero() {
		return 0
	}
	return int(time.Since(p.paced).Seconds()*float64(p.rate)) - p.issued*p.batch
}
