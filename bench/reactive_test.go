package bench

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/loadswitch"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/bench/target"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
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
				c := &Reactive{Targets: []string{address}, Version: v, Buffered: buffered, Hosts: 100,
					Topology: "single:3", Runs: 2,
					Rate: rate, Outstanding: 16, Duration: 30 * time.Millisecond, Warmup: 10 * time.Millisecond, Seed: 1}
				c.withDefaults()
				topology, err := loadswitch.ParseTopology(c.Topology, 1)
				if err != nil {
					t.Fatal(err)
				}
				tr := &trial{name: address, c: c, topology: topology, result: c.report(3).Add(address)}
				if err := tr.begin(t.Context()); err != nil {
					t.Fatal(err)
				}
				sm, err := tr.load.measure(t.Context(), c.Duration, c.Cut, tr.process)
				tr.close()
				if err != nil {
					t.Fatal(err)
				}
				n := sm.counts
				all := uint64(sm.latency.TotalCount())
				if n.counted == 0 || sm.missing != 0 || n.again != 0 || n.sent != n.answered ||
					n.messages != n.answered || all == 0 || all > n.sent {
					t.Errorf("%s buffered=%v rate=%d: %+v, %d missing, %d latencies", v, buffered, rate, n,
						sm.missing, sm.latency.TotalCount())
				}
				if rate > 0 && (n.sent != 720 || all != 600) {
					t.Errorf("%d packets sent in 36 ms at %d/s, %d of them in the 30 ms that count", n.sent, rate, all)
				}
			}
		}
	}
}

// TestReport runs two targets and prints.
func TestReport(t *testing.T) {
	c := &Reactive{Targets: []string{nullController(t), nullController(t)}, Hosts: 10, Runs: 3, Duration: 5 * time.Millisecond,
		Warmup: time.Millisecond, Seed: 1, Buffered: true, Command: "the command", Build: "the build"}
	r, err := c.Run(t.Context())
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
		c := &Reactive{Targets: []string{tc.address}, Hosts: 10, Runs: 1, Duration: 5 * time.Millisecond,
			Warmup:      time.Millisecond,
			Outstanding: 10, Buffered: true, Settle: 300 * time.Millisecond, NoSelfCheck: true, Drain: 100 * time.Millisecond}
		r, err := c.Run(t.Context())
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

func TestALateGeneratorHasNoResult(t *testing.T) {
	c := &Reactive{Rate: 1000, LateLimit: 2 * time.Millisecond}
	good := func() *sample {
		s := newSample(nil)
		s.counts = tally{sent: 100, answered: 100, counted: 100}
		for range 100 {
			s.lateness.RecordValue(int64(time.Millisecond))
		}
		return s
	}
	if err := good().check(c); err != nil {
		t.Errorf("a run in time is refused: %v", err)
	}
	for name, tc := range map[string]struct {
		spoil func(s *sample)
		want  error
	}{
		"late":    {func(s *sample) { s.lateness.RecordValues(int64(20*time.Millisecond), 5) }, report.ErrLate},
		"unsent":  {func(s *sample) { s.unsent = 1 }, report.ErrSlow},
		"after":   {func(s *sample) { s.counts.counted = 0 }, report.ErrSlow},
		"missing": {func(s *sample) { s.missing = 1 }, report.ErrMissing},
		"nothing": {func(s *sample) { s.counts.answered = 0 }, report.ErrNothing},
		"astray":  {func(s *sample) { s.paths.misforwarded = 1 }, report.ErrMisforwarded},
	} {
		s := good()
		tc.spoil(s)
		if err := s.check(c); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
}

func TestAnswersCountOnce(t *testing.T) {
	w := newWindow(2)
	a, _ := w.take(1, -1)
	b, _ := w.take(2, -1)
	if _, ok := w.take(3, -1); ok {
		t.Error("a third packet in a window of two")
	}
	if s, ok := w.answer(b); !ok || s.intended != 2 {
		t.Error("the second packet's answer is not taken")
	}
	if _, ok := w.answer(b); ok {
		t.Error("one packet is answered twice")
	}
	c, _ := w.take(4, -1)
	if _, ok := w.answer(b); ok || c == b {
		t.Error("a late answer is taken for that of the next packet")
	}
	w.abandon()
	if _, ok := w.answer(a); ok || w.waiting() != 0 {
		t.Error("a packet that was given up is answered")
	}
}

// TestPacketInsAreWellFormed parses what the generator makes.
func TestPacketInsAreWellFormed(t *testing.T) {
	src, dst := loadswitch.NewHost(5, topo.End{Port: 3}), loadswitch.NewHost(70000, topo.End{Port: 4})
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, buffered := range []bool{true, false} {
			b := newFrameTemplate(v, 9, false).append(nil, &src, &dst, 0x12345, buffered)
			_, m, err := openflow.Parse(b)
			if err != nil {
				t.Fatal(err)
			}
			pin := m.(*openflow.PacketIn)
			var k packet.Key
			_, fault := packet.ParseKey(pin.Data, &k)
			buffer := openflow.NoBuffer
			if buffered {
				buffer = 0x12345
			}
			if fault != 0 || pin.Buffer != buffer || pin.InPort != 3 || len(pin.Data) != 64 ||
				k.EthSrc != src.MAC || k.EthDst != dst.MAC ||
				k.IPSrc != packet.AddrFrom4(src.IP) || k.IPDst != packet.AddrFrom4(dst.IP) ||
				!packet.IPv4(pin.Data[14:]).ChecksumOK() {
				t.Errorf("%s buffered=%v: %+v, %+v", v, buffered, pin, k)
			}
			out := &openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: 3,
				Actions: []openflow.Action{openflow.Output(4)}, Data: pin.Data}
			raw, _ := openflow.Append(nil, v, 1, out)
			if a := readPacketOut(raw, 9, buffered); a.known == buffered || !a.ours || a.token != 0x12345 {
				t.Errorf("%s: a packet-out with the frame reads as %+v", v, a)
			}
			if a := readPacketOut(raw, 8, buffered); a.known {
				t.Errorf("%s: another switch's frame is taken for an answer", v)
			}
		}
	}
}

func TestModificationsAreRead(t *testing.T) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		for _, tc := range []struct {
			m    openflow.FlowMod
			want answer
		}{
			{openflow.FlowMod{Buffer: 7, IdleTimeout: 60}, answer{7, true, true}},
			{openflow.FlowMod{Buffer: 7}, answer{7, true, true}},
			{openflow.FlowMod{Buffer: openflow.NoBuffer, HardTimeout: 1}, answer{openflow.NoBuffer, false, true}},
			{openflow.FlowMod{Buffer: openflow.NoBuffer}, answer{openflow.NoBuffer, false, false}},
			{openflow.FlowMod{Command: openflow.FlowDelete, Buffer: 0, IdleTimeout: 60}, answer{0, false, false}},
		} {
			tc.m.OutPort, tc.m.OutGroup = openflow.PortAny, openflow.GroupAny
			b, err := openflow.Append(nil, v, 1, &tc.m)
			if err != nil {
				t.Fatal(err)
			}
			if got := readModification(v, b); got != tc.want {
				t.Errorf("%s %+v: %+v, want %+v", v, tc.m, got, tc.want)
			}
		}
	}
}
