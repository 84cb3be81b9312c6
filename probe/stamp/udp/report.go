package udp

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/stamp"
)

// Report is what was measured, as benchmarks report it. Command and build are the caller's.
func (s *Sender) Report(m *Measured) *report.Report {
	r := &report.Report{Format: report.Format, Scenario: "probe stamp", Title: "round trips to a STAMP reflector",
		Machine: report.ThisMachine(), Load: report.Load{Topology: "to " + m.Target, Runs: s.Count}}
	x := r.Add(fmt.Sprintf("%d bytes", s.Size))
	s.figures(x, m)
	if err := s.check(m); err != nil {
		x.Refuse(err)
	}
	r.Finish()
	return r
}

// check finds why there is no result.
func (s *Sender) check(m *Measured) error {
	if err := probe.Steady(m.Clocks); err != nil {
		return err
	}
	switch bad := m.Bad.Sum(); {
	case len(m.Samples) == 0 && m.Refused != nil:
		return &probe.Refusal{Why: probe.ErrNoAnswer, Seen: m.Refused.Error(), Want: "a reflector at " + m.Target,
			Do: "start weir probe reflect there, or name its port"}
	case len(m.Samples) == 0 && bad > 0:
		return &probe.Refusal{Why: probe.ErrNoAnswer, Seen: "nothing but " + badReplies(m.Bad), Want: "replies of STAMP",
			Do: "look at what listens at " + m.Target}
	case len(m.Samples) == 0:
		return &probe.Refusal{Why: probe.ErrNoAnswer, Seen: fmt.Sprintf("none of %d requests was answered", m.Sent),
			Want: "a reflector at " + m.Target, Do: "look at the path, and at what keeps UDP from it"}
	}
	way := &probe.Way{Lost: m.Lost, Trips: make([]probe.Trip, m.Sent-m.Lost)}
	if err := (probe.Limits{Lost: s.MaxLost}).Check(way); err != nil {
		return err
	}
	if void := m.Lost + m.Bad.Impossible; float64(void) > s.MaxLost*float64(m.Sent) {
		return &probe.Refusal{Why: probe.ErrImpossible,
			Seen: fmt.Sprintf("%d of %d, and %d requests without an answer", m.Bad.Impossible, m.Sent, m.Lost),
			Want: fmt.Sprintf("%g %% at most of both", s.MaxLost*100),
			Do:   "look at the reflector's clock, or allow it with --max-loss"}
	}
	return nil
}

// figures adds what was measured.
func (s *Sender) figures(x *report.Result, m *Measured) {
	both := m.synchronised()
	figure(x, m, "path", "there and back, without the time at the reflector", func(e *stamp.Sample) time.Duration { return e.Path })
	if both {
		figure(x, m, "forward", "", func(e *stamp.Sample) time.Duration { return e.Forward })
		figure(x, m, "backward", "", func(e *stamp.Sample) time.Duration { return e.Backward })
	}
	figure(x, m, "residence", "", func(e *stamp.Sample) time.Duration { return e.Residence })
	figure(x, m, "round trip", "from a request's leaving to its reply's coming",
		func(e *stamp.Sample) time.Duration { return e.RoundTrip })
	note := func(format string, args ...any) { x.Notes = append(x.Notes, fmt.Sprintf(format, args...)) }
	note("of %d requests %d had no answer", m.Sent, m.Lost)
	if len(m.Samples) > maxListed {
		note("of more than %d samples there are distributions only, in which less than 100 ns counts as 100 ns: --csv has each",
			maxListed)
	}
	if m.Bad.Sum() > 0 {
		note("not counted: %s", badReplies(m.Bad))
	}
	if m.Unstamped > 0 {
		note("of %d the kernel did not say when the request left: it is when this process began to send it", m.Unstamped)
	}
	note("what both kernels take is in the path")
	if both {
		note("forward and backward are by two clocks that are said to be synchronised")
	} else {
		note("nothing is known of one way: not both clocks are said to be synchronised")
	}
	if len(m.Samples) > 0 {
		note("requests came to the reflector with a TTL of %d, and left with %d", m.Samples[0].TTL, maxTTL)
	}
}

// maxListed is up to how many samples a report has each one.
const maxListed = 1000

// figure adds a time of all samples: each, and as a distribution if what says from when to when; of more
// than a report lists a distribution only.
func figure(x *report.Result, m *Measured, name, what string, of func(*stamp.Sample) time.Duration) {
	many := len(m.Samples) > maxListed
	if what != "" || many {
		d := x.Distribution(name, what)
		for i := range m.Samples {
			d.Record(of(&m.Samples[i]).Nanoseconds())
		}
	}
	if many {
		return
	}
	var list []float64
	for i := range m.Samples {
		list = append(list, report.Microseconds(of(&m.Samples[i])))
	}
	if len(list) > 0 {
		x.Take(name, "µs", list...)
	}
}

// synchronised reports whether both ends claim to be, in all replies.
func (m *Measured) synchronised() bool {
	for _, e := range m.Samples {
		if !e.Synchronised {
			return false
		}
	}
	return len(m.Samples) > 0
}

// badReplies says what was not counted.
func badReplies(b stamp.Bad) string {
	return fmt.Sprintf("%d replies too short for STAMP, %d of other sessions, %d to what was not sent, %d that came "+
		"again, %d with impossible times", b.Short, b.Foreign, b.Unasked, b.Replayed, b.Impossible)
}

// WriteCSV writes samples as a table, one line each, in nanoseconds. The single ways are empty where
// nothing is known of them.
func WriteCSV(w io.Writer, samples []stamp.Sample) error {
	t := csv.NewWriter(w)
	columns := []string{"seq", "round_trip_ns", "residence_ns", "path_ns", "forward_ns", "backward_ns", "ttl"}
	if err := t.Write(columns); err != nil {
		return err
	}
	ns := func(d time.Duration) string { return strconv.FormatInt(d.Nanoseconds(), 10) }
	for _, e := range samples {
		forward, backward := "", ""
		if e.Synchronised {
			forward, backward = ns(e.Forward), ns(e.Backward)
		}
		if err := t.Write([]string{strconv.FormatUint(uint64(e.Seq), 10), ns(e.RoundTrip), ns(e.Residence), ns(e.Path), forward,
			backward, strconv.Itoa(int(e.TTL))}); err != nil {
			return err
		}
	}
	t.Flush()
	return t.Error()
}
