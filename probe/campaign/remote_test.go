package campaign

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/wire"
)

// pretend listens, and speaks with whoever connects as an observer might.
func pretend(t *testing.T, speak func(conn net.Conn)) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				speak(conn)
				_, _ = io.Copy(io.Discard, conn) // until the near side goes: what was said must not be lost
			}()
		}
	}()
	return l.Addr().String()
}

// admitted speaks as an observer does, up to the first question.
func admitted(conn net.Conn, key string) error {
	if err := answerNear(conn, []byte(key), func() error { return nil }); err != nil {
		return err
	}
	var q wire.Question
	return wire.Read(conn, wire.Short, &q)
}

// TestWhatIsNoObserver: each way in which the other side is none of this version, or goes away, ends
// with a reason.
func TestWhatIsNoObserver(t *testing.T) {
	for name, c := range map[string]struct {
		speak func(conn net.Conn)
		why   error
		text  string
	}{
		"of a later version": {func(conn net.Conn) { _ = wire.Write(conn, wire.Hello{Version: 2, Nonce: nonce()}) },
			probe.ErrNoObserver, "version 2 given, want 1"},
		"a web server": {func(conn net.Conn) { _, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) },
			probe.ErrNoObserver, "not a message of weir probe"},
		"one that hangs up": {func(conn net.Conn) { conn.Close() }, probe.ErrNoObserver, "the connection was closed"},
		"one with another key": {func(conn net.Conn) { _ = admitted(conn, "another key of an observer") },
			probe.ErrKey, "give --key with the same file to both"},
		"one that has no key and says it has": {func(conn net.Conn) {
			_ = wire.Write(conn, wire.Hello{Version: 1, Nonce: nonce()})
			_ = wire.Read(conn, wire.Short, new(wire.Proof))
			_ = wire.Write(conn, wire.Proof{Version: 1, Proof: nonce()})
		}, probe.ErrKey, "who answers does not have the key"},
		"one that goes": {func(conn net.Conn) { _ = admitted(conn, "key"); conn.Close() },
			probe.ErrGone, "the connection was closed"},
		"one that does not say who it is": {func(conn net.Conn) {
			_ = admitted(conn, "key")
			_ = wire.Write(conn, wire.Answer{Known: true})
		}, probe.ErrGone, "an answer without who it is"},
		"one that says what cannot be": {func(conn net.Conn) {
			_ = admitted(conn, "key")
			_ = wire.Write(conn, wire.Answer{About: &wire.About{MTU: -1}})
		}, probe.ErrGone, "not a message of weir probe"},
		"one that is busy": {func(conn net.Conn) {
			_ = answerNear(conn, []byte("key"), func() error { return busy("192.0.2.9:7") })
		}, probe.ErrTaken, "measures for 192.0.2.9:7"},
	} {
		t.Run(name, func(t *testing.T) {
			address := pretend(t, c.speak)
			_, _, err := openFar(t.Context(), nic.Config{Interface: "none"}, address, []byte("key"), plan{})
			if !errors.Is(err, c.why) || !strings.Contains(err.Error(), c.text) || !strings.Contains(err.Error(), address) {
				t.Errorf("%v, want %v with %q and %s", err, c.why, c.text, address)
			}
		})
	}
}

// TestGone: the context of a measurement ends with its observer, and says so, asked or not.
func TestGone(t *testing.T) {
	leave := make(chan struct{})
	address := pretend(t, func(conn net.Conn) {
		_ = answerNear(conn, nil, func() error { return nil })
		<-leave
		conn.Close()
	})
	far, ctx, err := dial(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer far.close()
	close(leave)
	if err := await(ctx, nil, time.Minute, func() bool { return false }); !errors.Is(err, probe.ErrGone) {
		t.Errorf("waiting ended with %v", err)
	}
	if _, err := far.take(context.WithoutCancel(ctx), 1, 0); !errors.Is(err, probe.ErrGone) {
		t.Errorf("a question ended with %v", err)
	}
}

// TestSilentObserver: one that answers nothing is gone after a while, and what it says later waits for
// nobody.
func TestSilentObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		go func() {
			_ = wire.Read(far, wire.Short, new(wire.Question))
			time.Sleep(time.Minute)
			_ = wire.Write(far, wire.Answer{Known: true})
		}()
		r, ctx := follow(t.Context(), "192.0.2.2:8620", near)
		begun := time.Now()
		_, err := r.own(ctx, echoes{sizes: []int{56, 1500}, count: 20, interval: 20 * time.Millisecond})
		took := time.Since(begun)
		if !errors.Is(err, probe.ErrGone) || !strings.Contains(err.Error(), "no answer in") || took > 20*time.Second {
			t.Errorf("after %v: %v", took, err)
		}
		time.Sleep(time.Minute) // the answer is there
		if err := r.close(); err != nil {
			t.Error(err)
		}
		<-r.over
	})
}

// TestFreeForTheNext: a measurement has ended when the observer has freed its interface, not before.
func TestFreeForTheNext(t *testing.T) {
	var freed atomic.Bool
	address := pretend(t, func(conn net.Conn) {
		_ = answerNear(conn, nil, func() error { return nil })
		_, _ = io.Copy(io.Discard, conn)
		time.Sleep(20 * time.Millisecond) // as long as an interface may take
		freed.Store(true)
	})
	far, _, err := dial(t.Context(), address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := far.close(); err != nil || !freed.Load() {
		t.Errorf("closed with %v, freed: %v", err, freed.Load())
	}
}

// TestClocksOfEitherSide: a clock that was stepped is found at either end.
func TestClocksOfEitherSide(t *testing.T) {
	for i, name := range []string{"near", "far"} {
		b := &bed{ends: [2]end{&remote{is: about{name: "near"}}, &remote{is: about{name: "far"}}}}
		r := &round{}
		r.seen[i].clocks = []probe.Clocks{{Wall: 5_000_000, Monotonic: 1}, {Wall: 9_000_000, Monotonic: 2}}
		if err := b.check(r, probe.Limits{}); !errors.Is(err, probe.ErrClock) || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%v, want that the clock of %s was stepped", err, name)
		}
	}
}

// TestShareOfTwo: each machine's half is taken off, with the larger spread, and a cable without a
// result spoils it.
func TestShareOfTwo(t *testing.T) {
	near := []time.Duration{10, 10, 12}
	s := sized{own: [2][]time.Duration{near, {30, 30, 70}}}
	if got := s.share(); got.Median != 20 || got.Spread != 40 {
		t.Errorf("of two machines %+v, want a median of 20 and a spread of 40", got)
	}
	s.own[1] = nil
	if got := s.share(); got.Median != 10 || got.Spread != 2 {
		t.Errorf("of one machine %+v, want a median of 10 and a spread of 2", got)
	}
}

// echoesOf are three echoes of a path of 10 µs each way, by clocks that are so far apart.
func echoesOf(apart time.Duration) *sized {
	s := &sized{round: &round{}}
	for i := range 3 {
		at := probe.Stamp(i) * probe.Stamp(time.Millisecond)
		passed := func(after time.Duration) probe.Passage {
			return probe.Passage{First: at + probe.Stamp(after), Last: at + probe.Stamp(after)}
		}
		const way, turn = 10 * time.Microsecond, 5 * time.Microsecond
		s.round.echoes = append(s.round.echoes, probe.Echo{
			Request: probe.Trip{Left: passed(0), Came: passed(way + apart)},
			Reply:   probe.Trip{Left: passed(way + turn + apart), Came: passed(way + turn + way)}})
	}
	return s
}

// TestTwoClocksOfOneMachine: hardware stamps of interfaces that have a clock each, in one machine, give
// a path latency, and nothing of one way; with clocks that are said to agree they are refused. Without
// an own share ways are not held against its spread.
func TestTwoClocksOfOneMachine(t *testing.T) {
	own := probe.Share{}
	for _, x := range []struct {
		name  string
		c     Latency
		apart time.Duration
		ways  bool
		why   error
		notes int
	}{
		{"a clock each", Latency{}, time.Second, false, nil, 1},
		{"a clock each, the other way", Latency{Symmetric: true}, -time.Second, false, nil, 1},
		{"one clock", Latency{Symmetric: true}, time.Microsecond, true, nil, 0},
		{"two machines", Latency{Observer: "a:1"}, time.Second, false, nil, 0},
		{"two machines that are said to agree", Latency{Observer: "a:1", ClocksAgree: true}, time.Second, true,
			probe.ErrDisagree, 0},
	} {
		var r report.Result
		samples := x.c.samples(echoesOf(x.apart), 56)
		if err := x.c.compareWays(&r, samples, own); !errors.Is(err, x.why) || len(r.Notes) != x.notes {
			t.Errorf("%s: %v, want %v, with %q", x.name, err, x.why, r.Notes)
		}
		for _, s := range samples {
			if s.Ways != x.ways || s.Path != 20*time.Microsecond || !s.Ways && (s.There != 0 || s.Back != 0) {
				t.Errorf("%s: %+v", x.name, s)
			}
		}
	}
	c := Latency{Symmetric: true}
	own = probe.ShareOf([]time.Duration{time.Microsecond, time.Microsecond})
	samples := c.samples(echoesOf(2*time.Microsecond), 56)
	if err := c.compareWays(new(report.Result), samples, own); !errors.Is(err, probe.ErrDifferentWays) {
		t.Errorf("ways that differ by more than the spread: %v", err)
	}
}

// TestSwitchThatIsGone: a measurement does not wait for ever for the switch.
func TestSwitchThatIsGone(t *testing.T) {
	ctrl, err := controller.Listen("127.0.0.1:0", controller.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer ctrl.Close(context.Background())
	defer func(d time.Duration) { back = d }(back)
	back = time.Millisecond
	c := Latency{Controller: ctrl}
	if err := c.ready(t.Context()); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), ctrl.Address()) {
		t.Errorf("%v", err)
	}
}

// TestClocksThatDisagree: a packet that comes before it left shows it.
func TestClocksThatDisagree(t *testing.T) {
	var c Latency
	if err := c.clocksAgree(time.Millisecond, -1); !errors.Is(err, probe.ErrDisagree) {
		t.Errorf("%v", err)
	}
	if err := c.clocksAgree(time.Millisecond, 0); err != nil {
		t.Error(err)
	}
}
