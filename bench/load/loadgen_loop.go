package load

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// Generator asks for paths and withdraws them, in requests of many, over several connections at a
// time. Without a rate the switches lead: no more paths than its window are in flight to them,
// and no more in flight from them. With a rate requests leave at their times, as long as a
// connection is free, and what is late counts as time that the answer took. Either way the oldest
// paths are withdrawn, and only once they are there: a withdrawal that overtakes its path, on
// another connection, would find none.
type Generator struct {
	g      *target.Testbed
	form   paths.Form
	Batch  int // paths of a request
	conns  int // requests at a time
	window int // paths
	rate   int // installs and withdrawals a second together; 0: none
	active int // paths that are kept: when there are so many, one is withdrawn for each that is asked for
	// filling: it ends when there are so many.
	filling bool

	ctx     context.Context // of the load that runs
	end     context.CancelCauseFunc
	running sync.WaitGroup

	mu            sync.Mutex
	putBefore     int64 // entries that switches had received beyond those of the testbed's paths when it began
	removedBefore int64
	paced         time.Time // since when requests leave at their times
	issued        int       // requests since then
	asking        []int     // the first paths of the installs that are not answered yet
	halted        bool
	latency       report.Histogram // of requests, to their whole answer
	late          report.Histogram // how much later than meant requests left
	overloads     int              // answers that asked to come again later
}

// job is one request.
type job struct {
	withdraw bool
	n, count int
	at       time.Time // when it was meant to leave
}

// Requests of a generator.
const (
	BatchPaths     = 500
	GeneratorConns = 4
	pacedConns     = 32
	loadgenWindow  = 20_000
)

// NewGenerator makes a generator that goes on from the paths of the testbed.
func NewGenerator(g *target.Testbed, form paths.Form, active, rate int) *Generator {
	p := &Generator{g: g, form: form, Batch: BatchPaths, conns: GeneratorConns, window: loadgenWindow, rate: rate, active: active,
		latency: report.NewHistogram(), late: report.NewHistogram()}
	if rate > 0 {
		p.conns = pacedConns
		p.Batch = min(max(rate/100, 1), BatchPaths)
	}
	return p
}

// Start starts asking.
func (p *Generator) Start(ctx context.Context) {
	t := p.g.Net.Tally()
	hops := int64(p.g.Paths.Hops)
	p.putBefore, p.removedBefore = int64(t.Put)-int64(p.g.Next)*hops, int64(t.Removed)-int64(p.g.First)*hops
	p.ctx, p.end = context.WithCancelCause(ctx)
	for range p.conns {
		p.running.Go(func() {
			if err := p.work(p.ctx); err != nil {
				p.end(err)
			}
		})
	}
}

// Failed is why the load ended, if it was not just halted.
func (p *Generator) Failed() error { return context.Cause(p.ctx) }

// Halt asks for nothing more, and waits for the answers.
func (p *Generator) Halt() error {
	p.mu.Lock()
	p.halted = true
	p.mu.Unlock()
	p.running.Wait()
	defer p.end(nil)
	return p.Failed()
}

// work does requests, one after the other, over a connection of its own.
func (p *Generator) work(ctx context.Context) error {
	a, err := NewSubmitter(ctx, p.g)
	if err != nil {
		return err
	}
	defer a.Close()
	var body, request []byte
	for {
		j, wait, ended := p.nextJob()
		if ended || ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if wait > 0 {
			time.Sleep(wait)
			continue
		}
		path, form := paths.IntentsURL, p.form
		if j.withdraw {
			body, path, form = p.form.AppendWithdraw(body[:0], j.n, j.count)
		} else {
			body = p.form.AppendInstall(body[:0], p.g.Paths, j.n, j.count)
		}
		request = a.AppendRequest(request[:0], path, form, body)
		if err := p.do(ctx, a, &j, request); err != nil {
			return err
		}
	}
}

// do does a request and checks its answer.
func (p *Generator) do(ctx context.Context, a *Submitter, j *job, request []byte) error {
	late := time.Since(j.at)
	answer, busy, err := a.Submit(ctx, request)
	if err != nil {
		return err
	}
	p.mu.Lock()
	p.latency.Record(int64(time.Since(j.at)))
	p.late.Record(int64(late))
	p.overloads += busy
	p.asking = slices.DeleteFunc(p.asking, func(n int) bool { return !j.withdraw && n == j.n })
	p.mu.Unlock()
	if err := p.form.Accepted(answer, j.count); err != nil {
		return fmt.Errorf("paths %d to %d: %w", j.n, j.n+j.count-1, err)
	}
	return nil
}

// freePoll is how long a connection without a request waits before it looks again.
const freePoll = 200 * time.Microsecond

// nextJob is the next request, or how long to wait for one.
func (p *Generator) nextJob() (j job, wait time.Duration, ended bool) {
	t := p.g.Net.Tally()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return j, 0, true
	}
	held := p.g.Next - p.g.First
	switch {
	case held >= p.active && p.filling:
		return j, 0, true
	case held >= p.active && p.rate > 0: // what fills the network first has no times
		return p.nextPaced()
	}
	in, out := p.inFlight(&t)
	switch {
	case held >= p.active+p.Batch && out < p.window && p.oldestInstalled():
		return p.next(true), 0, false
	case held < p.active+p.Batch && in < p.window:
		return p.next(false), 0, false
	}
	return j, freePoll, false
}

// oldestAnswered reports whether the paths that are withdrawn next were accepted; p.mu is held.
func (p *Generator) oldestAnswered() bool {
	return len(p.asking) == 0 || slices.Min(p.asking) >= p.g.First+p.Batch
}

// oldestInstalled reports whether the paths that are withdrawn next are in the switches; p.mu is
// held. Where more are active than may be in flight, the oldest are, since newer ones were let out.
func (p *Generator) oldestInstalled() bool {
	return p.oldestAnswered() && (p.active > p.window || p.g.Complete(p.g.First, p.g.First+p.Batch))
}

// nextPaced is the next request at a set rate, or how long to wait for it; p.mu is held.
func (p *Generator) nextPaced() (j job, wait time.Duration, ended bool) {
	now := time.Now()
	if p.paced.IsZero() {
		p.paced = now
	}
	at := p.paced.Add(time.Duration(float64(p.issued*p.Batch) / float64(p.rate) * 1e9))
	if wait := at.Sub(now); wait > 0 {
		return j, min(wait, time.Millisecond), false
	}
	withdraw := p.issued%2 == 1
	if withdraw && !p.oldestAnswered() {
		return j, freePoll, false
	}
	p.issued++
	j = p.next(withdraw)
	j.at = at
	return j, 0, false
}

// next takes paths for a request; p.mu is held.
func (p *Generator) next(withdraw bool) job {
	j := job{withdraw: withdraw, n: p.g.Next, count: p.Batch, at: time.Now()}
	if withdraw {
		j.n = p.g.First
		p.g.First += j.count
	} else {
		if left := p.active - (p.g.Next - p.g.First); left > 0 {
			j.count = min(j.count, left)
		}
		p.g.Next += j.count
		p.asking = append(p.asking, j.n)
	}
	return j
}

// inFlight is how many paths are in flight to the switches, and from them; p.mu is held.
func (p *Generator) inFlight(t *loadswitch.Tally) (in, out int) {
	hops := int64(p.g.Paths.Hops)
	return p.g.Next - int((int64(t.Put)-p.putBefore)/hops), p.g.First - int((int64(t.Removed)-p.removedBefore)/hops)
}

// Fill asks until the network has all its paths, and checks them.
func Fill(ctx context.Context, g *target.Testbed, form paths.Form, active int) error {
	p := NewGenerator(g, form, active, 0)
	p.filling = true
	p.Start(ctx)
	p.running.Wait()
	if err := p.Halt(); err != nil {
		return err
	}
	return p.AwaitSettled(ctx)
}

// AwaitSettled waits until nothing is in flight of a load that was halted, and checks that switches
// have the entries of all paths, and no others of paths. A path that was withdrawn before a switch
// was told of it has none there, and does not count as one that was installed.
func (p *Generator) AwaitSettled(ctx context.Context) error {
	g := p.g
	t, rested := g.Net.Tally(), time.Now()
	return g.Poll(ctx, func() error {
		if now := g.Net.Tally(); now != t {
			t, rested = now, time.Now()
		}
		if in, out := p.inFlight(&t); in > 0 || out > 0 {
			if time.Since(rested) < time.Second {
				return fmt.Errorf(
					"%w: %s paths asked for, %s withdrawn, and switches have %s entries put and %s removed in %s flow-mods", report.ErrMissing,
					report.Thousands(g.Next), report.Thousands(g.First), report.Thousands(t.Put),
					report.Thousands(t.Removed), report.Thousands(t.FlowMods))
			}
			rested = time.Now()
		}
		if err := g.Verify(true, g.First, g.Next); err != nil {
			return fmt.Errorf("%w; %s", err, g.DescribeBroken())
		}
		return nil
	})
}

// Asked is the range of the paths that are asked for and not withdrawn.
func (p *Generator) Asked() (first, next int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.g.First, p.g.Next
}

// Times adds the times of requests since the last reset to histograms, and tells how many paths were
// answered and how many answers asked to come again later.
func (p *Generator) Times(latency, late report.Histogram) (done, overloads int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	latency.Merge(p.latency)
	late.Merge(p.late)
	return int(p.latency.TotalCount()) * p.Batch, p.overloads
}

// ResetTimes forgets the times of requests so far.
func (p *Generator) ResetTimes() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.latency.Reset()
	p.late.Reset()
	p.overloads = 0
}

// Due is how many paths should have been asked for or withdrawn by now at the set rate, and were
// not.
func (p *Generator) Due() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paced.IsZero() {
		return 0
	}
	return int(time.Since(p.paced).Seconds()*float64(p.rate)) - p.issued*p.Batch
}
