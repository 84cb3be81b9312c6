package bench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/paths"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
)

// run is one turn, with an instance of its own.
func (s *eventScore) run(ctx context.Context, i int) error {
	c := s.c
	g, err := c.Open(ctx)
	if err != nil {
		return err
	}
	defer g.Close()
	if err := load.Fill(ctx, g, c.Form, c.Active); err != nil {
		return fmt.Errorf("filling: %w", err)
	}
	s.turn = eventTurn{requests: report.NewHistogram(), late: report.NewHistogram(), before: g.Process.Memory()}
	if err := s.measure(ctx, c, g); err != nil {
		return err
	}
	s.take()
	c.Note("run %d of %d: %s: %s paths/s, p99 of a request %.2f ms", i+1, c.Runs, s.what,
		report.Thousands(s.turn.rate()), s.turn.p99())
	return nil
}

// measure is one turn.
func (s *eventScore) measure(ctx context.Context, c *Events, g *target.Testbed) (err error) {
	ctx, end := context.WithCancelCause(ctx)
	w := &eventStreams{reading: s.read, end: end}
	defer w.close()
	for range s.streams {
		if err := w.add(ctx, g); err != nil {
			return fmt.Errorf("stream %d: %w", len(w.list)+1, err)
		}
	}
	p := load.NewGenerator(g, c.Form, c.Active, c.Rate)
	p.Start(ctx)
	err = s.runFor(ctx, c, g, p, w)
	if err = cmp.Or(err, p.Halt()); err == nil {
		err = p.AwaitSettled(ctx)
	}
	if err != nil {
		return err
	}
	return s.shown(ctx, c, g, w)
}

// runFor lets the time that counts pass.
func (s *eventScore) runFor(ctx context.Context, c *Events, g *target.Testbed, p *load.Generator, w *eventStreams) error {
	if err := pace.Wait(ctx, c.Warmup); err != nil {
		return err
	}
	t := &s.turn
	p.ResetTimes()
	received, resets, before := w.received.Load(), w.resets.Load(), target.ReadCPUTimes(g.Process)
	if err := pace.Wait(ctx, c.Duration); err != nil {
		return err
	}
	t.usage = target.UsageSince(before, g.Process)
	t.done, t.overloads = p.Times(t.requests, t.late)
	t.received, t.resets = w.received.Load()-received, int(w.resets.Load()-resets)
	var err error
	if t.queued, err = w.queued(); err != nil {
		return err
	}
	switch n := p.Due(); {
	case n > int(float64(c.Rate)*installDelay.Seconds()):
		return fmt.Errorf("%w: of %s paths a second %s had not been asked for when they were to be", report.ErrSlow,
			report.Thousands(c.Rate), report.Thousands(n))
	case t.done == 0:
		return fmt.Errorf("%w: no request within %v", report.ErrNothing, t.usage.Elapsed)
	case t.queued > maxQueued:
		return fmt.Errorf("the system keeps %d KiB for one stream, want %d at most: what a stream that is not read holds is not bounded", t.queued>>10, maxQueued>>10)
	}
	return errors.Join(p.Failed(), g.Check())
}

// maxQueued is how many bytes the system may keep for one stream.
const maxQueued = 2 << 20

// streamSample is of how many streams that were not read it is looked at in the end whether they
// get a snapshot.
const streamSample = 20

// shown installs one more path and wants streams to show it: those that are read, and some of those
// that were not and are read now.
func (s *eventScore) shown(ctx context.Context, c *Events, g *target.Testbed, w *eventStreams) error {
	if s.streams == 0 {
		return nil
	}
	n := g.Next
	mark := `"id":"p` + strconv.Itoa(n) + `"`
	w.mark.Store(&mark)
	a, err := load.NewSubmitter(ctx, g)
	if err != nil {
		return err
	}
	defer a.Close()
	began := time.Now()
	if _, _, err := a.Submit(ctx, a.AppendRequest(nil, paths.IntentsURL, paths.FormJSON, g.Paths.Item(g.Net, n))); err != nil {
		return err
	}
	g.Next++
	want := len(w.list)
	if !s.read {
		want = min(want, streamSample)
		for _, conn := range w.list[:want] {
			w.running.Go(func() { w.follow(conn) })
		}
	}
	err = pace.Until(ctx, time.Millisecond, c.Limit, func() (bool, error) {
		return int(w.shown.Load()) >= want, nil
	}, func() error {
		return fmt.Errorf("%w: %d of %d streams show a path that was installed %v ago", report.ErrMissing,
			w.shown.Load(), want, c.Limit)
	})
	if err != nil {
		return err
	}
	s.turn.seen = time.Since(began)
	if !s.read {
		s.turn.resets = int(w.resets.Load())
	}
	if _, _, err := a.Submit(ctx,
		a.AppendRequest(nil, paths.WithdrawURL, paths.FormJSON, fmt.Appendf(nil, `{"ids":["p%d"]}`, n))); err != nil {
		return err
	}
	g.Next--
	return g.Poll(ctx, func() error { return g.Verify(true, g.First, g.Next) })
}

// eventStreams are event streams.
type eventStreams struct {
	reading  bool
	list     []net.Conn
	running  sync.WaitGroup
	received atomic.Int64 // bytes
	resets   atomic.Int64
	shown    atomic.Int64           // streams that have shown what mark says
	mark     atomic.Pointer[string] // what is looked for; nil: nothing yet
	end      func(error)            // ends the turn
}

// add opens a stream, and waits until it is accepted.
func (w *eventStreams) add(ctx context.Context, g *target.Testbed) error {
	conn, err := load.OpenStream(ctx, g)
	if conn != nil {
		w.list = append(w.list, conn) // close ends it
	}
	if err != nil {
		return err
	}
	if w.reading {
		w.running.Go(func() { w.follow(conn) })
	}
	return nil
}

// followOverlap is how much of a stream is looked at again with what comes next: what is looked for
// may be cut in two.
const followOverlap = 64

// follow reads a stream until it ends. Events are not decoded: what is looked for stands in them as
// it is.
func (w *eventStreams) follow(conn net.Conn) {
	b, kept, shown := make([]byte, 256<<10), 0, false
	reset := []byte("event: reset\n")
	for {
		n, err := conn.Read(b[kept:])
		if err != nil {
			w.end(fmt.Errorf("an event stream ended: %w", err))
			return
		}
		w.received.Add(int64(n))
		text := b[:kept+n]
		w.resets.Add(int64(bytes.Count(text, reset) - bytes.Count(b[:kept], reset)))
		if mark := w.mark.Load(); mark != nil && !shown && bytes.Contains(text, []byte(*mark)) {
			shown = true
			w.shown.Add(1)
		}
		kept = copy(b, text[max(len(text)-followOverlap, 0):])
	}
}

// close ends all streams.
func (w *eventStreams) close() {
	w.end(nil)
	for _, conn := range w.list {
		_ = conn.Close()
	}
	w.running.Wait()
}

// queued is how many bytes the system keeps for the stream for which it keeps most: at the sender's
// end and at the reader's, both on this machine.
func (w *eventStreams) queued() (most int, err error) {
	ports := map[int]int{}
	for _, conn := range w.list {
		if a, ok := conn.LocalAddr().(*net.TCPAddr); ok {
			ports[a.Port] = 0
		}
	}
	if len(ports) == 0 {
		return 0, nil
	}
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		addQueues(ports, string(b))
	}
	for _, n := range ports {
		most = max(most, n)
	}
	return most, nil
}

// addQueues adds what the sockets in a table of the kernel's (/proc/net/tcp) have in their queues,
// by the port of either end.
func addQueues(ports map[int]int, table string) {
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		out, in, _ := strings.Cut(f[4], ":")
		sent, err1 := strconv.ParseInt(out, 16, 64)
		held, err2 := strconv.ParseInt(in, 16, 64)
		if errors.Join(err1, err2) != nil {
			continue
		}
		for _, end := range f[1:3] {
			_, port, _ := strings.Cut(end, ":")
			if n, err := strconv.ParseInt(port, 16, 32); err == nil {
				if _, ours := ports[int(n)]; ours {
					ports[int(n)] += int(sent + held)
				}
			}
		}
	}
}
