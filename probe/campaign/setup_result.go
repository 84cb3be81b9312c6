package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/nic"
)

// add adds the figures of a size to its result, or says why there are none.
func (c *Setup) add(x *report.Result, path *bed, s *flows, cable *sized) error {
	if err := cmp.Or(cable.bad, s.bad); err != nil {
		return err
	}
	if err := errors.Join(s.refused...); err != nil {
		return fmt.Errorf("the switch refuses what the controller says: %w", err)
	}
	if len(s.samples) == 0 && s.old > 0 {
		return s.notNew()
	}
	if err := path.check(&s.round, c.Limits); err != nil {
		return err
	}
	if s.old > c.Count {
		return s.notNew()
	}
	if len(s.samples) == 0 {
		return &probe.Refusal{Why: probe.ErrLoss, Seen: fmt.Sprintf("of %d flows none has a first and a later echo", s.tried),
			Want: "one at least", Do: "look for full queues"}
	}
	own := cable.share()
	c.figures(x, s, own)
	cable.take(x)
	if len(c.Load.From) > 0 {
		x.Take("load that came", "Mbit/s", s.came/1e6)
	}
	var sets []time.Duration
	for i := range s.samples {
		sets = append(sets, s.samples[i].Setup)
	}
	c.notes(x, path, s, own)
	return own.Check(probe.Median(sets))
}

// notNew refuses a switch that goes on to forward what has been forgotten.
func (s *flows) notNew() error {
	return &probe.Refusal{Why: probe.ErrNotNew, Seen: fmt.Sprintf("%d of %d flows", s.old, s.tried),
		Want: "their first packets at the controller", Do: "look whether the interfaces lead to this switch, or give what it has in caches longer to go: --apart 1s"}
}

// figures adds the figures of all flows.
func (c *Setup) figures(x *report.Result, s *flows, own probe.Share) {
	sets := x.Distribution("flow set-up", "the first echo's path latency less the median of later ones")
	first := x.Distribution("first path latency", "there and back, of the first echo, without the probe's own share")
	for i := range s.samples {
		f := &s.samples[i]
		us := func(name string, d time.Duration) { x.Take(name, "µs", report.Microseconds(d)) }
		us("flow set-up", f.Setup)
		if c.Rules == Reactive {
			us("controller", f.Share())
			x.Take("packet-ins", "packets", float64(f.PacketIns[0]+f.PacketIns[1]))
		}
		us("first path latency", own.Off(f.First))
		us("later path latency", own.Off(f.Later))
		us("first ping", f.PingFirst)
		us("later ping", f.PingLater)
		sets.Record(max(f.Setup, 0).Nanoseconds())
		first.Record(own.Off(f.First).Nanoseconds())
	}
}

// notes says what a reader has to know besides.
func (c *Setup) notes(x *report.Result, path *bed, s *flows, own probe.Share) {
	note := func(format string, args ...any) { x.Notes = append(x.Notes, fmt.Sprintf(format, args...)) }
	if path.near.nic.Stamps() == nic.Hardware {
		note("hardware stamps: nothing is taken off; in the set-up, a difference, the probe's own share cancels")
	} else {
		note("the probe's own share, %v with a spread of %v, is taken off path latencies; in the set-up, a difference, it cancels",
			probe.Shown(own.Median), probe.Shown(own.Spread))
	}
	if c.Rules == Reactive {
		c.share(note, s)
	} else {
		note("the entries of all flows were confirmed before: what the first echo takes longer is the switch's")
	}
	if s.asked > 0 {
		note("of %d flows %d came to the controller, though the switch had confirmed their entries", len(s.samples), s.asked)
	}
	if s.old > 0 {
		note("%d more flows are not counted: the switch still forwarded them when they had been forgotten, or another packet had "+
			"set them up", s.old)
	}
	if s.missed > 0 {
		note("of %d flows %d are missing: the first echo was lost, or all later ones", s.tried, s.missed)
	}
	if s.strange > 0 {
		note("%d packets of others came to the controller meanwhile", s.strange)
	}
	c.seen(note, path, &s.round)
}

// share says what the controller's share is.
func (c *Setup) share(note func(string, ...any), s *flows) {
	var shares []time.Duration
	most := 0
	for i := range s.samples {
		shares = append(shares, s.samples[i].Share())
		most = max(most, s.samples[i].PacketIns[0], s.samples[i].PacketIns[1])
	}
	of := probe.ShareOf(shares)
	note("request and reply are two flows, so two set-ups are in one; the controller's share of both is %v with a spread of %v",
		probe.Shown(of.Median), probe.Shown(of.Spread))
	if most > 1 {
		note("up to %d packets of a flow came to the controller before its entry was in force: its share is the time in "+
			"which it had any of them, and the switch works meanwhile", most)
	}
}

// WriteSetups writes samples as a table, one line each, in nanoseconds.
func WriteSetups(w io.Writer, samples []SetupSample) error {
	heading := []string{"size", "flow", "setup_ns", "first_ns", "second_ns", "later_ns", "ping_first_ns", "ping_later_ns",
		"controller_request_ns", "controller_reply_ns", "packet_ins_request", "packet_ins_reply"}
	return writeTable(w, heading, len(samples), func(i int) []string {
		s := &samples[i]
		return numbers(s.Size, s.Flow, int(s.Setup), int(s.First), int(s.Second), int(s.Later), int(s.PingFirst),
			int(s.PingLater), int(s.Controller[0]), int(s.Controller[1]), s.PacketIns[0], s.PacketIns[1])
	})
}
