package udp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/stamp"
)

// Sender is the one that asks. A zero value of a field is its default.
type Sender struct {
	Target   string        // HOST:PORT of a reflector
	Count    int           // requests; default 20
	Interval time.Duration // from one request to the next; default 20 ms
	Size     int           // bytes of a request and of its reply, in UDP; default and least stamp.Size
	MaxLost  float64       // share of the requests that may be without an answer, or have one with impossible times
	Clock    func() stamp.Accuracy

	mu      sync.Mutex // guards what follows
	session stamp.Session
	refused error // what the kernel said of the target
	changed chan struct{}
}

// Limits of a sender.
const (
	MaxCount = 100_000
	MaxSize  = 65507
)

// maxTTL is that of requests, so that a reply says how many routers there were (RFC 5357, section
// 4.1.2).
const maxTTL = 255

// missing is how long an answer may take until it counts as lost, beside the interval.
const missing = 2 * time.Second

// Check fills in defaults and finds what is wrong.
func (s *Sender) Check() error {
	s.Count, s.Interval, s.Size = cmp.Or(s.Count, 20), cmp.Or(s.Interval, 20*time.Millisecond), cmp.Or(s.Size, stamp.Size)
	if s.Clock == nil {
		s.Clock = ownClock
	}
	switch {
	case s.Count < 1 || s.Count > MaxCount:
		return fmt.Errorf("%d requests given, want 1 to %d", s.Count, MaxCount)
	case s.Size < stamp.Size || s.Size > MaxSize:
		return fmt.Errorf("size %d given, want bytes from %d to %d", s.Size, stamp.Size, MaxSize)
	}
	return probe.Limits{Lost: s.MaxLost}.Sound()
}

// Measured is what a sender found.
type Measured struct {
	stamp.Outcome
	Clocks  []probe.Clocks // of this machine
	Refused error          // what the kernel said of the target, if anything
	Target  string         // its address
}

// Run sends the requests and waits for their answers. The error is that of a wrong configuration, of
// an address, or of an interruption; what spoils the measurement is in what is measured.
func (s *Sender) Run(ctx context.Context) (*Measured, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	dialed, err := (&net.Dialer{}).DialContext(ctx, "udp", s.Target)
	if err != nil {
		return nil, err
	}
	conn := dialed.(*net.UDPConn)
	defer conn.Close()
	if err := stampRequests(conn); err != nil {
		return nil, err
	}
	s.session, s.refused, s.changed = stamp.Session{ID: uint16(1 + rand.N(1<<16-1))}, nil, make(chan struct{}, 1)
	var reading sync.WaitGroup
	reading.Go(func() { _ = watch(conn, s.left, s.came, s.told) })
	m := &Measured{Target: conn.RemoteAddr().String()}
	err = s.send(ctx, conn, m)
	conn.Close()
	reading.Wait()
	m.Outcome, m.Refused = s.session.Outcome(), s.refused
	return m, err
}

// send sends the requests, each when it is due, and waits for the last answers.
func (s *Sender) send(ctx context.Context, conn *net.UDPConn, m *Measured) error {
	var b []byte
	begun := time.Now()
	m.Clocks = append(m.Clocks, nic.ReadClocks())
	for i := range s.Count {
		if err := s.await(ctx, time.Until(begun.Add(time.Duration(i)*s.Interval)), nil); err != nil {
			return err
		}
		own := s.Clock()
		s.mu.Lock()
		r := s.session.Next(time.Now(), own)
		s.mu.Unlock()
		b = r.AppendTo(b[:0], s.Size)
		_, err := conn.Write(b)
		if errors.Is(err, syscall.ECONNREFUSED) { // of an earlier one: this one was not sent
			s.unsent(err)
			_, err = conn.Write(b)
		}
		if err != nil {
			s.unsent(err)
		}
		m.Clocks = append(m.Clocks, nic.ReadClocks())
	}
	return s.await(ctx, missing, func() bool { return s.session.Answered() == s.Count })
}

// await waits so long, or until ok.
func (s *Sender) await(ctx context.Context, limit time.Duration, ok func() bool) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		s.mu.Lock()
		done := ok != nil && ok()
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case <-s.changed:
		}
	}
}

// unsent takes note that the kernel has not sent a request.
func (s *Sender) unsent(err error) {
	s.told(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session.Unsent()
}

// left, came and told take what the kernel says.
func (s *Sender) left(c control) {
	if c.at.IsZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session.Left(c.id, c.at)
}

func (s *Sender) came(b []byte, c control) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.at.IsZero() {
		c.at = time.Now()
	}
	s.session.Came(b, c.at)
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *Sender) told(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = err
}
