package campaign

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// add adds the figures of a size to its result, or says why there are none.
func (c *Latency) add(x *report.Result, path *bed, size int, s *sized) error {
	if s.bad != nil {
		return s.bad
	}
	if err := path.check(s.round, c.Limits); err != nil {
		return err
	}
	own := s.share()
	samples := c.samples(s, size)
	c.figures(x, samples, own)
	s.take(x)
	if len(c.Load.From) > 0 {
		x.Take("load that came", "Mbit/s", s.came/1e6)
	}
	c.notes(x, path, s, own)
	if err := own.Check(own.Off(probe.Median(probe.Paths(s.round.echoes)))); err != nil {
		return err
	}
	return c.compareWays(x, samples, own)
}

// compareWays holds the two ways against each other, where each is known.
func (c *Latency) compareWays(x *report.Result, samples []Sample, own probe.Share) error {
	if !c.ways() {
		return nil
	}
	if len(samples) > 0 && !samples[0].Ways {
		x.Notes = append(x.Notes, "nothing is known of one way: the interfaces have two clocks, by which packets came before they left")
		return nil
	}
	there, back := medians(samples)
	if c.ClocksAgree {
		if err := c.clocksAgree(there, back); err != nil {
			return err
		}
	}
	return c.sameWays(x, there-back, own)
}

// medians are those of each way.
func medians(samples []Sample) (there, back time.Duration) {
	var ways [2][]time.Duration
	for i := range samples {
		ways[0], ways[1] = append(ways[0], samples[i].There), append(ways[1], samples[i].Back)
	}
	return probe.Median(ways[0]), probe.Median(ways[1])
}

// take adds the own share of each machine.
func (s *sized) take(x *report.Result) {
	for i, name := range []string{"own share", "own share of the observer"} {
		for _, d := range s.own[i] {
			x.Take(name, "µs", report.Microseconds(d))
		}
	}
}

// figures adds what was measured, without the own share.
func (c *Latency) figures(x *report.Result, samples []Sample, own probe.Share) {
	total := x.Distribution("path latency", "there and back, without the probe's own share")
	ping := x.Distribution("ping", "from a request's leaving to its reply's coming")
	for _, e := range samples {
		latency := own.Off(e.Path)
		x.Take("path latency", "µs", report.Microseconds(latency))
		if c.Symmetric {
			x.Take("one way", "µs", report.Microseconds(latency)/2)
		}
		if e.Ways {
			x.Take("there", "µs", report.Microseconds(max(e.There-own.Median/2, 0)))
			x.Take("back", "µs", report.Microseconds(max(e.Back-own.Median/2, 0)))
		}
		x.Take("ping", "µs", report.Microseconds(e.Ping))
		total.Record(latency.Nanoseconds())
		ping.Record(e.Ping.Nanoseconds())
	}
}

// clocksAgree refuses clocks by which packets come before they leave.
func (c *Latency) clocksAgree(there, back time.Duration) error {
	if min(there, back) >= 0 {
		return nil
	}
	return &probe.Refusal{Why: probe.ErrDisagree,
		Seen: fmt.Sprintf("there takes %v and back %v", probe.Shown(there), probe.Shown(back)),
		Want: "neither below zero", Do: "leave --clocks-agree out, or have them agree, by PTP say"}
}

// notes says what a reader has to know besides.
func (c *Latency) notes(x *report.Result, path *bed, s *sized, own probe.Share) {
	note := func(format string, args ...any) { x.Notes = append(x.Notes, fmt.Sprintf(format, args...)) }
	switch hardware := path.near.nic.Stamps() == nic.Hardware; {
	case hardware && c.Observer == "":
		note("hardware stamps: nothing is taken off; there and back are each right where both interfaces have one clock")
	case hardware:
		note("hardware stamps: nothing is taken off")
	case c.Observer != "":
		note("the probe's own share, the mean of both machines', which was taken off, is %v with a spread of %v",
			probe.Shown(own.Median), probe.Shown(own.Spread))
	default:
		note("the probe's own share, which was taken off, is %v with a spread of %v", probe.Shown(own.Median), probe.Shown(own.Spread))
	}
	if c.Symmetric {
		note("one way is half of the path latency: --symmetric says that both ways are alike")
	}
	switch {
	case c.ClocksAgree:
		note("there and back are by the clocks of two machines, which --clocks-agree says agree")
	case c.Observer != "" && !c.Symmetric:
		note("nothing is known of one way: two machines have two clocks")
	}
	if s.first != nil && len(s.first.echoes) == 1 {
		note("the first echo, which may have set up flows, took %v", probe.Shown(own.Off(s.first.echoes[0].Path())))
	}
	if s.asked > 0 {
		note("%d packets came to the controller meanwhile", s.asked)
	}
	c.seen(note, path, s.round)
}

// seen says what else was seen of a round.
func (c *Latency) seen(note func(string, ...any), path *bed, r *round) {
	if len(r.echoes) > 0 && r.echoes[0].Request.Left.Fragments > 1 {
		note("%s", path.trains())
	}
	for i, e := range path.ends {
		if n := r.seen[i].counts; n.Foreign > 0 {
			note("%d frames of others at %s beside %d", n.Foreign, e.about().name, n.Frames)
		}
	}
	for i, w := range []*probe.Way{&r.there, &r.back} {
		if w.Lost+w.Doubled+w.Stray+w.Reordered > 0 {
			note("%s: of %d packets %d were lost, %d doubled, %d reordered, and %d came from nowhere",
				[]string{"there", "back"}[i], w.Sent(), w.Lost, w.Doubled, w.Reordered, w.Stray)
		}
	}
}

// trains says how the fragments of a packet were sent.
func (b *bed) trains() string {
	for _, e := range b.ends {
		if e, ok := e.(*local); ok && e.nic.Interrupted() {
			return "fragments were sent by a thread that others may interrupt, which adds to the spread: want root or CAP_SYS_NICE"
		}
	}
	return "fragments were sent by a thread that no other interrupts (SCHED_FIFO)"
}

// sameWays says when the ways differ by more than the probe's spread, or refuses it. Of hardware stamps
// no spread is known.
func (c *Latency) sameWays(x *report.Result, difference time.Duration, own probe.Share) error {
	if own.Count == 0 || difference.Abs() <= own.Spread {
		return nil
	}
	longer := fmt.Sprintf("there takes %v longer than back", probe.Shown(difference))
	if difference < 0 {
		longer = fmt.Sprintf("back takes %v longer than there", probe.Shown(-difference))
	}
	if c.Symmetric {
		return &probe.Refusal{Why: probe.ErrDifferentWays,
			Seen: longer,
			Want: fmt.Sprintf("%v at most, the probe's own spread", probe.Shown(own.Spread)),
			Do:   "leave --symmetric out: each way is measured"}
	}
	x.Notes = append(x.Notes, "the ways differ: "+longer)
	return nil
}

// WriteCSV writes samples as a table, one line each, in nanoseconds.
func WriteCSV(w io.Writer, samples []Sample) error {
	return writeTable(w, []string{"size", "seq", "ping_ns", "turnaround_ns", "path_ns", "there_ns", "back_ns"}, len(samples),
		func(i int) []string {
			s := &samples[i]
			line := numbers(s.Size, s.Seq, int(s.Ping), int(s.Other), int(s.Path))
			if !s.Ways { // of two clocks nothing is known of one way
				return append(line, "", "")
			}
			return append(line, numbers(int(s.There), int(s.Back))...)
		})
}

// writeTable writes so many lines below a heading.
func writeTable(w io.Writer, heading []string, lines int, of func(i int) []string) error {
	t := csv.NewWriter(w)
	if err := t.Write(heading); err != nil {
		return err
	}
	for i := range lines {
		if err := t.Write(of(i)); err != nil {
			return err
		}
	}
	t.Flush()
	return t.Error()
}

func numbers(list ...int) (texts []string) {
	for _, n := range list {
		texts = append(texts, strconv.Itoa(n))
	}
	return texts
}
