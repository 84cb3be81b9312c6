package load

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/target"
)

// Load is the emulated switches of one target.
type Load struct {
	c       *Config
	net     *loadswitch.Network
	sources []*source
	// followers follow the packets of the sources over their paths; none if Config.Hops is 0.
	followers []*follower
	epoch     time.Time
	cursor    int // the source that sends next, at a set rate
	// nap waits until the next packet is due, in the time given; napping but in tests.
	nap func(d time.Duration)
	// urgent has the goroutine that sends be in time, until what it returns is called; urgent but
	// in tests.
	urgent func() func()
}

// New makes the switches of a target.
func New(c *Config) *Load {
	l := &Load{c: c, epoch: time.Now(), nap: batchNap, urgent: pace.Urgent}
	l.net = loadswitch.New(c.Network,
		loadswitch.Config{Version: c.Version, Hosts: c.Hosts, HostPorts: HostPorts, MaxQueue: 64 << 20, Dial: c.dial,
			Tap: func(sw *loadswitch.Switch) loadswitch.Tap {
				s := newSource(sw, c, l.Clock)
				l.sources = append(l.sources, s)
				if c.Hops > 0 {
					l.followers = append(l.followers, newFollower(s, l))
					return l.followers[len(l.followers)-1]
				}
				return s
			}})
	if c.Hops > 0 {
		l.assign(c.Seed)
	}
	return l
}

// Clock is the load's time.
func (l *Load) Clock() time.Duration { return time.Since(l.epoch) }

// Connect connects all switches and waits until they have described themselves.
func (l *Load) Connect(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, l.c.Settle, fmt.Errorf("the controller did not ask within %v", l.c.Settle))
	defer cancel()
	if err := l.net.Connect(ctx, address); err != nil {
		return err
	}
	return l.net.AwaitDescribed(ctx)
}

// Times of introducing hosts: unknown ones announce themselves and are asked for again so often.
const (
	announceEvery = time.Second            // twice as long each time: a slow controller is busy with the last one
	probeEvery    = 100 * time.Millisecond // twice as long each time that nobody became known, as far as probeLimit
	probeLimit    = 4 * time.Second
)

// IntroduceHosts has all hosts speak, and asks for each until the controller answers.
func (l *Load) IntroduceHosts(ctx context.Context) error {
	for _, s := range l.sources {
		s.probing.Store(true)
		defer s.probing.Store(false)
	}
	began, announced, pace := l.Clock(), time.Duration(-1), announceEvery/2
	every, before := probeEvery, -1
	for {
		unknown := 0
		again := announced < 0 || l.Clock()-announced >= pace
		if again {
			announced = l.Clock()
			pace *= 2
		}
		for _, s := range l.sources {
			s.mu.Lock()
			left := s.unknown
			s.mu.Unlock()
			if left > 0 && again {
				s.sw.Announce(s.isUnknown)
			}
			unknown += left
		}
		if unknown == 0 {
			return nil
		}
		if err := l.check(); err != nil {
			return err
		}
		if l.Clock()-began > l.c.Settle {
			return fmt.Errorf("the controller did not answer for %d of %d hosts within %v", unknown,
				len(l.sources)*l.c.Hosts, l.c.Settle)
		}
		if before == unknown {
			every = min(2*every, probeLimit)
		}
		before = unknown
		for _, s := range l.sources {
			s.probe(max(min(2*probes/len(l.sources), probes), 1))
		}
		if err := l.awaitKnown(ctx, every); err != nil {
			return err
		}
	}
}

// awaitKnown waits until all hosts that were asked for are known, but no longer than d.
func (l *Load) awaitKnown(ctx context.Context, d time.Duration) error {
	for began := l.Clock(); l.Clock()-began < d && l.total(nil).waiting > 0; {
		if err := pace.Wait(ctx, probeEvery/10); err != nil {
			return err
		}
	}
	return nil
}

// isUnknown reports whether a host is still to be introduced.
func (s *source) isUnknown(i int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.known[i]
}

// check finds a connection that is lost.
func (l *Load) check() error {
	err := l.net.Lost()
	l.each(func(s *source) {
		if err == nil && s.lost != nil {
			err = fmt.Errorf("switch %d could not send a packet-in: %w", s.sw.DatapathID(), s.lost)
		}
	})
	return err
}

// Measure puts the controller under load for a time d, and for a cut before and after it that does
// not count; at the end it waits for the answers that are missing.
func (l *Load) Measure(ctx context.Context, d, cut time.Duration, p *target.Process) (*Sample, error) {
	before := l.reset()
	strayed := l.pathCounts()
	sm := newSample(p)
	var err error
	if l.c.Rate > 0 {
		defer l.urgent()()
		err = l.pace(ctx, d, cut, sm)
	} else {
		err = l.keepOutstanding(ctx, d, cut, sm)
	}
	l.halt()
	if err == nil {
		err = l.drain(ctx)
	}
	sm.count(before, l.total(sm))
	sm.follow(strayed, l.pathCounts())
	if err == nil {
		err = l.check()
	}
	return sm, err
}

// begin has what is sent and answered from now on count.
func (l *Load) begin(sm *Sample, now time.Duration) {
	sm.begin(now)
	l.each(func(s *source) { s.from, s.to = now, never })
}

// end has what is sent and answered from now on not count.
func (l *Load) end(sm *Sample, now time.Duration) {
	sm.end(now)
	l.each(func(s *source) { s.to = now })
}

// halt ends the load.
func (l *Load) halt() { l.each(func(s *source) { s.refill = false }) }

// each calls a function with every source, whose lock is held.
func (l *Load) each(f func(s *source)) {
	for _, s := range l.sources {
		s.mu.Lock()
		f(s)
		s.mu.Unlock()
	}
}

// reset forgets what was measured, and what still waits; nothing counts until begin.
func (l *Load) reset() (t tally) {
	l.each(func(s *source) {
		s.window.Abandon()
		s.latency.Reset()
		s.from, s.to = never, never
		t.add(s.tally)
	})
	return t
}

// total adds up all sources, and into sm, if there is one, their latencies.
func (l *Load) total(sm *Sample) (t tally) {
	l.each(func(s *source) {
		t.add(s.tally)
		t.waiting += s.window.Waiting()
		if sm != nil {
			sm.Latency.Merge(s.latency)
		}
	})
	return t
}

// keepOutstanding has a number of packets outstanding at each switch. A run in which nothing was
// answered yet goes on until something is, within Config.Drain: a rate of none in a run shorter
// than a controller's latency, or than a pause of the machine, says nothing about the controller.
func (l *Load) keepOutstanding(ctx context.Context, d, cut time.Duration, sm *Sample) error {
	for _, s := range l.sources {
		conn := s.sw.Session()
		if conn == nil {
			return l.check()
		}
		s.mu.Lock()
		s.refill = true
		s.sendNow(conn, l.c.Outstanding, l.Clock())
		s.mu.Unlock()
	}
	if err := pace.Wait(ctx, cut); err != nil {
		return err
	}
	before := l.total(nil)
	l.begin(sm, l.Clock())
	if err := pace.Wait(ctx, d); err != nil {
		return err
	}
	for began := l.Clock(); l.total(nil).Counted == before.Counted && l.Clock()-began < l.c.Drain; {
		if err := pace.Wait(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	l.end(sm, l.Clock())
	return pace.Wait(ctx, cut)
}

// paceTick is how often packets are sent at a set rate.
const paceTick = 100 * time.Microsecond

// pace sends packets at a set rate, each meant for its own time, to the switches in turn, whether
// answers come or not. All of a run's packets count whose intended times are within it.
func (l *Load) pace(ctx context.Context, d, cut time.Duration, sm *Sample) error {
	at := func(began time.Duration, n int) time.Duration {
		return began + time.Duration(float64(n)*1e9/float64(l.c.Rate))
	}
	total := int((d + 2*cut).Seconds() * float64(l.c.Rate))
	began := l.Clock()
	from, to := began+cut, began+cut+d
	for sent := 0; sent < total && ctx.Err() == nil; {
		now := l.Clock()
		for ; sent < total && at(began, sent) <= now; sent++ {
			intended := at(began, sent)
			if intended >= from && sm.from == 0 {
				l.begin(sm, from)
			}
			if intended >= to && sm.to == 0 {
				l.end(sm, to)
			}
			if intended >= from && intended < to {
				sm.Lateness.Record(int64(now - intended))
			}
			l.addNext(intended, sm)
		}
		l.flush()
		l.nap(at(began, sent) - now)
	}
	if sm.from == 0 {
		l.begin(sm, from)
	}
	if sm.to == 0 {
		l.end(sm, to)
	}
	return ctx.Err()
}

// addNext adds a packet at the source whose turn it is.
func (l *Load) addNext(intended time.Duration, sm *Sample) {
	s := l.sources[l.cursor]
	l.cursor = (l.cursor + 1) % len(l.sources)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.add(intended) {
		sm.unsent++
	}
}

// flush hands over what all sources have to send.
func (l *Load) flush() {
	for _, s := range l.sources {
		if conn := s.sw.Session(); conn != nil {
			s.mu.Lock()
			s.flush(conn)
			s.mu.Unlock()
		}
	}
}

// batchNap waits for the next packet: at least a tick, so that packets go in batches.
func batchNap(d time.Duration) { pace.Nap(max(d, paceTick)) }

// drain waits until nothing waits any more, or nothing has been answered for a while: a slow
// controller has time for its last answers.
func (l *Load) drain(ctx context.Context) error {
	last, since := -1, l.Clock()
	for began := since; l.Clock()-began < l.c.Settle; {
		waiting := l.total(nil).waiting
		if waiting == 0 {
			return nil
		}
		if waiting != last {
			last, since = waiting, l.Clock()
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

// Close ends all sessions; those that a controller does not read are cut.
func (l *Load) Close() { target.CloseNetwork(l.net) }

// Warm puts a controller under load that does not count. Where packets are followed this goes on
// until all of them find their way over shortest paths: until the controller knows all links.
func (l *Load) Warm(ctx context.Context) error {
	for began := l.Clock(); ; {
		sm, err := l.Measure(ctx, l.c.Warmup, 0, nil)
		if err != nil || l.c.Hops == 0 {
			return err
		}
		if err = sm.Check(l.c); err == nil {
			return nil
		}
		if l.Clock()-began > l.c.Settle {
			return fmt.Errorf("after %v: %w", l.c.Settle, err)
		}
	}
}
