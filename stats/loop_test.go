package stats

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// modelConn is a session to a model, which answers from a goroutine of its own as a session's
// reader does.
type modelConn struct {
	mu    sync.Mutex
	model *model
	open  func(openflow.ReplyBody, error) // waits for an answer
	asked int
}

func (c *modelConn) Queue() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.model.busy {
		return queueMax + 1
	}
	return 0
}

func (c *modelConn) Multipart(body openflow.RequestBody, answer func(openflow.ReplyBody, error)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open != nil {
		panic("two questions at a time")
	}
	c.asked++
	c.open = answer
	if c.model.stuck {
		return nil
	}
	time.AfterFunc(c.model.delay, func() { c.end(c.model.answer(body, time.Now()), nil) })
	return nil
}

// MultipartParts answers as Multipart does, in parts.
func (c *modelConn) MultipartParts(body openflow.RequestBody, part func(openflow.Version, []byte) error,
	answer func(error)) error {
	return c.Multipart(body, func(reply openflow.ReplyBody, err error) {
		l, ok := reply.(*openflow.FlowStatsList)
		if err != nil || !ok {
			answer(err)
			return
		}
		answer(inParts(c.model.version, l.Flows, part))
	})
}

// end answers the question that waits.
func (c *modelConn) end(body openflow.ReplyBody, err error) {
	c.mu.Lock()
	answer := c.open
	c.open = nil
	c.mu.Unlock()
	if answer != nil {
		answer(body, err)
	}
}

func (c *modelConn) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// running runs a loop in a bubble; the test ends when the loop has.
func running(t *testing.T, test func(l *Loop, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l := New(Config{})
		told := make(chan *TenantCounters, 10)
		l.OnTenants(func(t *TenantCounters) { told <- t })
		done := make(chan struct{})
		go func() {
			l.Run(ctx)
			close(done)
		}()
		w := newWorld(t, Config{})
		w.now, w.toldLoop = time.Now(), told
		test(l, w)
		cancel()
		<-done
		l.SwitchUp(Address{9, 1}, openflow.V13, nil) // and takes no notice
	})
}

func TestLoopKeepsTheNewestCounters(t *testing.T) {
	running(t, func(l *Loop, w *world) {
		m := w.add(7, openflow.V13, 2)
		m.delay = 20 * time.Millisecond
		m.ports[2].rates[RxBytes] = 1000
		c := &modelConn{model: m}
		l.SwitchUp(Address{7, 1}, m.version, c)
		if l.Board().Switch(7) != nil {
			t.Error("counters before an answer")
		}
		time.Sleep(21 * time.Second)
		s := l.Board().Switch(7)
		if s == nil || s.Ports == nil || len(s.Ports.List) != 2 {
			t.Fatalf("the board has %+v", s)
		}
		if r, ok := s.Ports.Find(2).Rate(RxBytes); !ok || r < 999 || r > 1001 {
			t.Errorf("rate %f, %v, want 1000", r, ok)
		}
		if age := time.Since(s.Ports.AsOf); age > 6*time.Second {
			t.Errorf("counters are of %s ago", age)
		}
		kept, asked := *s, c.count()
		l.SwitchDown(Address{7, 1})
		time.Sleep(time.Minute)
		if now := l.Board().Switch(7); now != s || *now != kept {
			t.Error("counters went, or changed, with the session")
		}
		if n := c.count(); n != asked {
			t.Errorf("asked %d times without a session", n-asked)
		}
	})
}

// A newer session takes the place of one that is stuck; the end of the old one does not end it.
func TestLoopGoesOnWithTheNewerSession(t *testing.T) {
	running(t, func(l *Loop, w *world) {
		m := w.add(7, openflow.V13, 1)
		stuck := *m
		stuck.stuck = true
		old, newer := &modelConn{model: &stuck}, &modelConn{model: m}
		l.SwitchUp(Address{7, 1}, m.version, old)
		time.Sleep(10 * time.Second)
		l.SwitchUp(Address{7, 2}, m.version, newer)
		time.Sleep(time.Second)
		old.end(nil, context.Canceled)
		l.SwitchDown(Address{7, 1})
		time.Sleep(30 * time.Second)
		if old.count() != 1 || newer.count() < 6 {
			t.Errorf("the old session was asked %d times, the newer one %d", old.count(), newer.count())
		}
		if l.Board().Switch(7) == nil {
			t.Error("no counters")
		}
	})
}

// One that does not take what is queued for it is not asked, and asked again when it does.
func TestLoopAsksNobodyWhoseQueueIsLong(t *testing.T) {
	running(t, func(l *Loop, w *world) {
		m := w.add(7, openflow.V13, 1)
		m.busy = true
		c := &modelConn{model: m}
		l.SwitchUp(Address{7, 1}, m.version, c)
		time.Sleep(time.Minute)
		if n := c.count(); n != 0 {
			t.Errorf("asked %d times", n)
		}
		c.mu.Lock()
		m.busy = false
		c.mu.Unlock()
		time.Sleep(MaxPeriod)
		if c.count() == 0 || l.Counts().Busy.Load() == 0 {
			t.Errorf("asked %d times, busy %d times", c.count(), l.Counts().Busy.Load())
		}
	})
}

// Readers and the loop do not meet: under -race.
func TestReadersSeeWholeSamples(t *testing.T) {
	var b Board
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if s := b.Switch(1); s != nil && s.Ports.List[0].Counts != s.Ports.Sum {
					t.Error("half a sample")
				}
			}
		})
	}
	for n := range uint64(10_000) {
		sum := [Counters]uint64{n, n, n, n, n, n, n, n}
		p := Port{Number: 1, Counts: sum}
		b.put(&Switch{DPID: netview.DPID(1), Ports: &Ports{List: []Port{p}, Sum: sum}})
	}
	close(stop)
	readers.Wait()
}
