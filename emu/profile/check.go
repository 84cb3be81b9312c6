package profile

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// Limits of a profile.
const (
	// MaxPayload is the longest of one packet: what IPv4 carries of ICMP or UDP.
	MaxPayload = 65507
	// MaxDelay is the longest time of anything.
	MaxDelay = time.Minute
	// MaxPerSecond is the highest rate; above it there is no limit worth the name.
	MaxPerSecond = 1_000_000_000
	// MaxQueue is how many messages wait for a narrow way.
	MaxQueue = 1_000_000
	// MaxPoints is how many points a curve has.
	MaxPoints = 64
	// MaxTimes is the largest factor.
	MaxTimes = 10_000
	// MaxRateBPS is the highest rate of a load.
	MaxRateBPS = 10_000_000_000_000
	// MaxName is the longest name, in bytes, and MaxAbout the longest line about it.
	MaxName, MaxAbout = 64, 200
)

// Check refuses a profile that no switch can have, with all reasons, each in order of the fields.
func (p *Profile) Check() error {
	wrong := []error{
		named("flow_setup", p.FlowSetup.check()),
		named("flow_setup", p.FlowSetup.checkController()),
		named("path_latency", p.PathLatency.check()),
		named("load", p.checkLoad()),
		named("forwarding", p.Forwarding.check()),
		named("install", p.Install.check()),
		named("packet_in", p.PacketIn.check()),
		named("packet_out", p.PacketOut.check()),
		named("statistics", p.Statistics.check()),
		named("tables", p.Tables.check()),
	}
	return errors.Join(wrong...)
}

func named(part string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", part, err)
}

// check refuses curves and chances that no latency can have.
func (l *Latency) check() error {
	if l.P90 != 0 && !(l.P90 >= 1 && l.P90 <= most) {
		return fmt.Errorf("p90 %v given, want a multiple of the median from 1 to %d, such as 1.2", l.P90, most)
	}
	return cmp.Or(checkCurve(l.Points), named("devices", checkCurve(l.Devices)))
}

// checkCurve refuses points out of order and times out of bounds.
func checkCurve(points []Point) error {
	if len(points) > MaxPoints {
		return fmt.Errorf("%d points given, want at most %d", len(points), MaxPoints)
	}
	for i, p := range points {
		switch {
		case p.Payload < 1 || p.Payload > MaxPayload:
			return fmt.Errorf("payload %d given, want bytes from 1 to %d, such as 1500", p.Payload, MaxPayload)
		case p.Delay < 0 || p.Delay > MaxDelay:
			return fmt.Errorf("delay %v given at payload %d, want a time from 0s to %v, such as 3ms", p.Delay,
				p.Payload, MaxDelay)
		case i > 0 && p.Payload <= points[i-1].Payload:
			return fmt.Errorf("payload %d given after %d, want the points in order of payload, each once",
				p.Payload, points[i-1].Payload)
		}
	}
	return nil
}

func (s *Setup) checkController() error {
	if s.Controller < 0 || s.Controller > MaxDelay {
		return fmt.Errorf("controller %v given, want a time from 0s to %v, such as 200us", s.Controller, MaxDelay)
	}
	for _, p := range s.Points {
		if p.Delay < 2*s.Controller {
			return fmt.Errorf("controller %v given, want at most half of the shortest set-up, which is %v at payload %d: two flows have that much of it", s.Controller, p.Delay, p.Payload)
		}
	}
	return nil
}

func (p *Profile) checkLoad() error {
	if len(p.Load.Points) > 0 && len(p.PathLatency.Points) == 0 {
		return errors.New("a load given without path_latency, want both: it lengthens that")
	}
	return p.Load.check()
}

func (l *Load) check() error {
	if len(l.Points) > MaxPoints {
		return fmt.Errorf("%d points given, want at most %d", len(l.Points), MaxPoints)
	}
	before := LoadPoint{Times: 1}
	for _, p := range l.Points {
		least := before // a port's
		if l.Switch {
			least = LoadPoint{Times: LeastTimes}
		}
		if err := p.checkSizes(&least); err != nil {
			return err
		}
		switch {
		case p.RateBPS <= before.RateBPS || p.RateBPS > MaxRateBPS:
			return fmt.Errorf("rate %d given after %d, want bits a second in order, each once, up to %d, such as 500M", p.RateBPS, before.RateBPS, uint64(MaxRateBPS))
		case !(p.Times >= least.Times && p.Times <= MaxTimes):
			return wrongTimes(p.Times, least.Times)
		}
		if err := named("devices", checkCurve(p.Devices)); err != nil {
			return err
		}
		before = p
	}
	return nil
}

// LeastTimes is the least factor that a load of the whole switch may have.
const LeastTimes = 0.001

func wrongTimes(given, least float64) error {
	if least < 1 {
		return fmt.Errorf("times %.3g given, want a factor from %v to %d, such as 0.5", given, LeastTimes, MaxTimes)
	}
	return fmt.Errorf("times %.3g given, want a factor that does not fall with a port's load, from %.3g to %d, such as 1.5 (with `of: switch` a load may make it faster)",
		given, least, MaxTimes)
}

// checkSizes refuses factors at payloads that are less than they may be.
func (p *LoadPoint) checkSizes(before *LoadPoint) error {
	if len(p.Sizes) > MaxPoints {
		return fmt.Errorf("%d sizes given at rate %d, want at most %d", len(p.Sizes), p.RateBPS, MaxPoints)
	}
	for i, f := range p.Sizes {
		switch least := before.at(f.Payload); {
		case f.Payload < 1 || f.Payload > MaxPayload:
			return fmt.Errorf("payload %d given, want bytes from 1 to %d, such as 1500", f.Payload, MaxPayload)
		case i > 0 && f.Payload <= p.Sizes[i-1].Payload:
			return fmt.Errorf("payload %d given after %d, want the sizes in order of payload, each once", f.Payload, p.Sizes[i-1].Payload)
		case !(f.Times >= least && f.Times <= MaxTimes):
			return fmt.Errorf("payload %d: %w", f.Payload, wrongTimes(f.Times, least))
		}
	}
	return nil
}

func (i *Install) check() error {
	switch {
	case !(i.PerSecond >= 0 && i.PerSecond <= MaxPerSecond):
		return perSecond(i.PerSecond)
	case i.Batch < 0 || i.Batch > MaxQueue:
		return fmt.Errorf("batch %d given, want entries from 1 to %d, such as 16", i.Batch, MaxQueue)
	case i.Delay < 0 || i.Delay > MaxDelay:
		return fmt.Errorf("delay %v given, want a time from 0s to %v, such as 10ms", i.Delay, MaxDelay)
	}
	return nil
}

func perSecond(v float64) error {
	return fmt.Errorf("per_second %v given, want a number above 0 and up to %d, such as 500 or 10k", v, MaxPerSecond)
}

func (r *Rate) check() error {
	switch {
	case !(r.PerSecond >= 0 && r.PerSecond <= MaxPerSecond):
		return perSecond(r.PerSecond)
	case r.Queue < 0 || r.Queue > MaxQueue:
		return fmt.Errorf("queue %d given, want packets from 0 to %d, such as 100", r.Queue, MaxQueue)
	case r.Queue > 0 && r.PerSecond == 0:
		return fmt.Errorf("queue %d given without per_second, want both: without a rate nothing waits", r.Queue)
	}
	return nil
}

func (s *Statistics) check() error {
	for _, d := range []time.Duration{s.Delay, s.Entry} {
		if d < 0 || d > MaxDelay {
			return fmt.Errorf("%v given, want a time from 0s to %v, such as 20ms", d, MaxDelay)
		}
	}
	return nil
}

// check holds to what package flowtable can have.
func (t *Tables) check() error {
	for _, f := range t.fields() {
		if *f.to < 0 || *f.to > f.most {
			return fmt.Errorf("%s %d given, want from %d to %d, such as %d", f.name, *f.to, f.least, f.most, f.example)
		}
	}
	return nil
}

// tableField is one number of Tables, with its bounds where it is given.
type tableField struct {
	name                 string
	to                   *int
	least, most, example int
}

func (t *Tables) fields() []tableField {
	return []tableField{
		{"count", &t.Count, 1, 254, 4},
		{"entries", &t.Entries, 1, 10_000_000, 4096},
		{"groups", &t.Groups, 1, 1 << 16, 256},
		{"meters", &t.Meters, 1, 1 << 16, 256},
		{"buffers", &t.Buffers, 0, 1 << 16, 256},
	}
}
