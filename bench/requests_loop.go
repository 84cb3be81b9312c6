package bench

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// run is one run: an instance, measured with each number of connections.
func (s *requestsScore) run(ctx context.Context, i int) error {
	var list []*requestRun
	err := s.setup.filled(ctx, "requests", paths.FormNDJSON, s.c.Flows, true, func(g *target.Testbed) (_ int, err error) {
		list, err = s.measureAll(ctx, g, i)
		return s.c.Flows, err
	})
	if err == nil {
		s.take(list)
	}
	return err
}

func (s *requestsScore) measureAll(ctx context.Context, g *target.Testbed, i int) (list []*requestRun, err error) {
	for _, conns := range s.c.Conns {
		m, err := s.measure(ctx, g, conns)
		for s.c.again(i, s.result, err) {
			m, err = s.measure(ctx, g, conns)
		}
		if err != nil {
			return nil, err
		}
		s.c.Note("run %d of %d: %s answers %s requests/s on %s, p50 %v, p99 %v", i+1, s.c.Runs, s.result.Subject,
			report.Thousands(m.rate()), report.Plural(conns, "connection", "connections"),
			time.Duration(m.latency.ValueAtQuantile(50)), time.Duration(m.latency.ValueAtQuantile(99)))
		list = append(list, m)
	}
	return list, nil
}

// measure has so many connections send requests for a while.
func (s *requestsScore) measure(ctx context.Context, g *target.Testbed, conns int) (*requestRun, error) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	l := &requestLoad{c: s.c, g: g, end: end, due: make(chan time.Time, maxDue)}
	l.number.Store(int64(g.Next))
	var running sync.WaitGroup
	var callers []*requestConn
	for range conns {
		a, err := load.NewSubmitter(ctx, g)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		k := &requestConn{l: l, a: a, latency: report.NewHistogram()}
		callers = append(callers, k)
		running.Go(k.run)
	}
	m := &requestRun{conns: conns, latency: report.NewHistogram(), lateness: report.NewHistogram()}
	err := l.runFor(ctx, m)
	running.Wait()
	if err = cmp.Or(context.Cause(ctx), err); err != nil {
		return nil, err
	}
	for _, k := range callers {
		m.latency.Merge(k.latency)
		m.answered += k.answered
	}
	g.Next = s.c.Flows
	if err := g.Poll(ctx, func() error { return g.Verify(true, 0, s.c.Flows) }); err != nil {
		return nil, fmt.Errorf("when all that was installed is withdrawn: %w", err)
	}
	return m, m.check(s.c)
}

// maxDue is how many requests may wait for a connection at a set rate.
const maxDue = 1 << 16

// requestLoad is what the connections of a measurement share.
type requestLoad struct {
	c      *Requests
	g      *target.Testbed
	end    func(error)    // the first error ends the measurement
	number atomic.Int64   // of the next path
	due    chan time.Time // requests at a set rate: when each was meant to be sent
	halted atomic.Bool
	from   atomic.Int64 // when what counts begins and ends, in ns of time.Now; 0: not yet
	to     atomic.Int64
}

// runFor lets the warm-up and the time that counts pass, sending at a set rate if there is one.
func (l *requestLoad) runFor(ctx context.Context, m *requestRun) error {
	var pacing sync.WaitGroup
	defer pacing.Wait()
	defer l.halted.Store(true)
	if l.c.Rate > 0 {
		pacing.Go(func() { l.pace(ctx, m.lateness) })
	}
	if err := pace.Wait(ctx, l.c.Warmup); err != nil {
		return err
	}
	syncs, mallocs := l.metrics(ctx) // first and last, so that to ask for them counts for neither
	before, mods := target.ReadCPUTimes(l.g.Process), l.g.Net.Tally().FlowMods
	l.from.Store(before.At.UnixNano())
	err := pace.Wait(ctx, l.c.Duration)
	to := time.Now()
	l.to.Store(to.UnixNano())
	m.behind = len(l.due)
	m.usage, m.mods = target.UsageSince(before, l.g.Process), l.g.Net.Tally().FlowMods-mods
	m.usage.Elapsed = to.Sub(before.At)
	s, a := l.metrics(ctx)
	m.syncs, m.mallocs = s-syncs, a-mallocs
	return cmp.Or(err, l.g.Check())
}

// metrics asks the instance how often it has synchronised and allocated; 0 where it does not say.
func (l *requestLoad) metrics(ctx context.Context) (syncs, mallocs float64) {
	m, _ := l.g.Process.ReadMetrics(ctx, l.g.Instance.Token)
	return m.Syncs(), m[target.MetricMallocs]
}

// pace gives requests to the connections at their times.
func (l *requestLoad) pace(ctx context.Context, lateness report.Histogram) {
	defer pace.Urgent()()
	began := time.Now()
	for i := 0; ctx.Err() == nil && !l.halted.Load(); i++ {
		at := began.Add(time.Duration(float64(i) * 1e9 / float64(l.c.Rate)))
		if wait := time.Until(at); wait > 0 {
			pace.Nap(wait)
		}
		if from := l.from.Load(); from != 0 && at.UnixNano() >= from && l.to.Load() == 0 {
			lateness.Record(int64(time.Since(at)))
		}
		select {
		case l.due <- at:
		default:
			l.end(fmt.Errorf("%w: %d requests wait for a connection", report.ErrSlow, maxDue))
			return
		}
	}
}

// requestConn is one connection.
type requestConn struct {
	l        *requestLoad
	a        *load.Submitter
	latency  report.Histogram
	answered int
	request  []byte
	body     []byte
}

// run installs, moves and withdraws paths until the load is halted, and a path that is there then
// is still withdrawn.
func (k *requestConn) run() {
	for {
		n := int(k.l.number.Add(1)) - 1
		for step := range 3 {
			at, ok := k.turn(step)
			if !ok {
				return
			}
			k.make(n, step)
			if err := k.ask(); err != nil {
				k.l.end(fmt.Errorf("%s of path %d: %w", steps[step], n, err))
				return
			}
			k.count(at)
		}
	}
}

var steps = [...]string{"POST", "PUT", "DELETE"}

// turn is when the next request is meant to be sent; false when there is none. A path that is there
// is withdrawn whatever comes.
func (k *requestConn) turn(step int) (time.Time, bool) {
	if k.l.halted.Load() {
		return time.Now(), step > 0
	}
	if k.l.c.Rate == 0 {
		return time.Now(), true
	}
	for {
		select {
		case at := <-k.l.due:
			return at, true
		case <-time.After(haltPollPeriod):
			if k.l.halted.Load() {
				return time.Now(), step > 0
			}
		}
	}
}

// haltPollPeriod is how often a connection without a request looks whether the load is halted.
const haltPollPeriod = 50 * time.Millisecond

// make makes a request.
func (k *requestConn) make(n, step int) {
	path := paths.IntentsURL
	p := k.l.g.Paths.At(n)
	if step > 0 {
		k.body = strconv.AppendInt(append(append(k.body[:0], paths.IntentsURL...), "/p"...), int64(n), 10)
		path = string(k.body)
		p = k.l.g.Paths.Moved(n)
	}
	k.body = k.body[:0]
	if step < 2 {
		k.body = p.AppendItem(k.body, k.l.g.Net)
	}
	k.request = k.a.AppendMethod(k.request[:0], steps[step], path, paths.FormJSON, k.body)
}

// ask sends the request, and wants an answer that it is accepted.
func (k *requestConn) ask() error {
	if err := k.a.Send(k.request); err != nil {
		return err
	}
	status, body, err := k.a.Read(k.body[:0])
	k.body = body
	switch {
	case err != nil:
		return err
	case status/100 != 2:
		return fmt.Errorf("the API answers %d: %s", status, body[:min(len(body), 300)])
	case len(body) > 0 && !bytes.Contains(body, []byte(`"status":"accepted"`)):
		return fmt.Errorf("%w: %s", paths.ErrRefused, body[:min(len(body), 300)])
	}
	return nil
}

// count counts an answer: at a set rate those to requests that were meant for the time that counts,
// else those that came in it.
func (k *requestConn) count(at time.Time) {
	now := time.Now()
	from, to := k.l.from.Load(), k.l.to.Load()
	in := func(t int64) bool { return from != 0 && t >= from && (to == 0 || t < to) }
	if in(now.UnixNano()) {
		k.answered++
	}
	if k.l.c.Rate > 0 && in(at.UnixNano()) || k.l.c.Rate == 0 && in(now.UnixNano()) {
		k.latency.Record(int64(now.Sub(at)))
	}
}
