package bench

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/load"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/openflow"
)

// nullController listens with the null responder until the test ends.
func nullController(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- target.Respond(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("responder ended with %v", err)
		}
	})
	return ln.Addr().String()
}

// TestNullResponder runs the whole scenario, both versions, buffered and not: what is sent is
// answered, once.
func TestNullResponder(t *testing.T) {
	address := nullController(t)
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, buffered := range []bool{true, false} {
			for _, rate := range []int{0, 20000} {
				c := &Reactive{Config: load.Config{Version: v, Buffered: buffered, Hosts: 100, Topology: "single:3",
					Rate: rate, Outstanding: 16, Warmup: 10 * time.Millisecond, Seed: 1}, Targets: []string{address},
					Duration: 30 * time.Millisecond, Options: Options{Runs: 2}}
				if err := c.Check(); err != nil {
					t.Fatal(err)
				}
				tr := &trial{name: address, c: c, subject: subject{(&report.Report{}).Add(address)}}
				if err := tr.begin(t.Context()); err != nil {
					t.Fatal(err)
				}
				sm, err := tr.load.Measure(t.Context(), c.Duration, c.Cut, tr.process)
				tr.close()
				if err != nil {
					t.Fatal(err)
				}
				n := sm.Counts
				all := uint64(sm.Latency.TotalCount())
				// At a set rate all answers may come late, after what counts: on a machine that is busy.
				if rate == 0 && n.Counted == 0 || sm.Missing != 0 || n.Again != 0 || n.Sent != n.Answered ||
					n.Messages != n.Answered || all == 0 || all > n.Sent {
					t.Errorf("%s buffered=%v rate=%d: %+v, %d missing, %d latencies", v, buffered, rate, n,
						sm.Missing, sm.Latency.TotalCount())
				}
				if rate > 0 && (n.Sent != 720 || all != 600) {
					t.Errorf("%d packets sent in 36 ms at %d/s, %d of them in the 30 ms that count", n.Sent, rate, all)
				}
			}
		}
	}
}

// TestReport runs two targets and prints.
func TestReport(t *testing.T) {
	c := &Reactive{Config: load.Config{Hosts: 10, Warmup: time.Millisecond, Seed: 1, Buffered: true},
		Targets: []string{nullController(t), nullController(t)}, Duration: 5 * time.Millisecond,
		Options: Options{Runs: 3, Command: "the command", Build: "the build"}}
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != 3 || !r.Results[2].SelfCheck || r.Verdict != report.Valid {
		t.Errorf("%d results, the last %+v; verdict %q", len(r.Results), *r.Results[2], r.Verdict)
	}
	for _, want := range []string{"the command", "the build", "cores", c.Targets[0], c.Targets[1], target.Bare, "× bare"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("report without %q:\n%s", want, out.String())
		}
	}
	for _, x := range r.Results {
		if m := x.Measure("packet-ins answered"); m == nil || len(m.Runs) != 3 || m.Median <= 0 ||
			len(m.Ratios) != 2 || len(x.Times) != 1 {
			t.Errorf("%+v, %+v", *x, m)
		}
	}
}

// silent takes connections and answers the handshake only, or every other packet-in.
func silent(t *testing.T, every int) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go halfRespond(conn, every)
		}
	}()
	return ln.Addr().String()
}

// halfRespond answers one in so many packet-ins of those that are no probes (0: none at all).
func halfRespond(conn net.Conn, every int) {
	defer conn.Close()
	var r target.Responder
	buf, w, n := make([]byte, 1<<16), 0, 0
	for {
		k, err := conn.Read(buf[w:])
		if err != nil {
			return
		}
		w += k
		at := 0
		for w-at >= 8 {
			length := int(buf[at+2])<<8 | int(buf[at+3])
			if w-at < length {
				break
			}
			m := buf[at : at+length]
			at += length
			if openflow.Type(m[1]) == openflow.TypePacketIn {
				if n++; every == 0 || n > 30 && n%every != 0 {
					continue
				}
			}
			r.Message(m)
		}
		w = copy(buf, buf[at:w])
		if _, err := conn.Write(r.Out); err != nil {
			return
		}
		r.Out = r.Out[:0]
	}
}

// stranger is a server that answers every connection with some bytes, or none, and ends it.
func stranger(t *testing.T, says string) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte(says))
			conn.Close()
		}
	}()
	return ln.Addr().String()
}

// deaf is a server that takes connections and says nothing.
func deaf(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	return ln.Addr().String()
}

// TestNoResult wants that no figure is printed where answers are missing, nothing was answered, or
// nobody is there.
func TestNoResult(t *testing.T) {
	for name, tc := range map[string]struct{ address, want string }{
		"missing": {silent(t, 2), report.ErrMissing.Error()},
		"nothing": {silent(t, 0), "did not answer for 10 of 10 hosts"},
		"nobody":  {"127.0.0.1:1", "refused"},
		"closes":  {stranger(t, ""), "the controller ended 1 of 1 sessions"},
		"web":     {stranger(t, "HTTP/1.0 400 Bad Request\r\n\r\n"), "the controller ended 1 of 1 sessions"},
		"deaf":    {deaf(t), "switch 1 has not been asked what it is: the controller did not ask within 300ms"},
	} {
		c := &Reactive{Config: load.Config{Hosts: 10, Warmup: time.Millisecond, Outstanding: 10, Buffered: true,
			Settle: 300 * time.Millisecond, Drain: 100 * time.Millisecond}, Targets: []string{tc.address},
			Duration: 5 * time.Millisecond, Options: Options{Runs: 1, NoSelfCheck: true}}
		r, err := Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		r.Print(&out)
		if x := r.Results[0]; !r.Refused() || !strings.Contains(x.Refused, tc.want) ||
			len(x.Measures)+len(x.Times)+len(x.Processes) != 0 {
			t.Errorf("%s: %+v, want a refusal: %s", name, x, tc.want)
		}
		if !strings.Contains(out.String(), "no result: ") || strings.Contains(out.String(), "p99") || r.Verdict == report.Valid {
			t.Errorf("%s: printed\n%s", name, out.String())
		}
	}
}
