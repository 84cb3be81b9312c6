package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe/fit"
	"github.com/weirnet/weir/session"
)

// Source sends a frame into a port of the switch under test. It must not keep the frame.
type Source func(frame []byte) error

// Plan is what is measured. Zero fields stand for the defaults of DefaultPlan, but for Source and
// Out.
type Plan struct {
	// Source sends into the switch's port In; without it there are no figures of packet-ins, and
	// it stays unknown whether the switch keeps the word of its barriers.
	Source Source
	In     uint32
	// Out is a port with a link: packet-outs leave by it, and are counted by the switch. 0 is none.
	Out uint32
	// Rounds is how often each time is taken, at least: of a fast switch it is more often.
	Rounds int
	// Batches are how many entries are sent at once.
	Batches []int
	// Answers are with how many entries counters are asked for.
	Answers []int
	// MaxEntries, MaxGroups and MaxMeters are how many are tried at most.
	MaxEntries, MaxGroups, MaxMeters int
	// MaxOffered is the highest rate of packets, a second.
	MaxOffered int
	// Sustained is how long the longest burst at a rate is.
	Sustained time.Duration
	// Quiet is how long nothing has to come until no more is expected.
	Quiet time.Duration
	// Note, if set, is told what is being measured.
	Note func(text string)
}

// DefaultPlan is that of a calibration.
func DefaultPlan() Plan {
	return Plan{Rounds: 5, Batches: []int{1, 2, 3, 4, 6, 8, 9, 10, 12, 15, 16, 17, 18, 20, 24, 32, 33, 34, 48, 64, 65, 66, 100,
		128, 129, 130, 200, 256, 257, 500, 1000}, Answers: []int{1, 10, 100, 1000, 10_000}, MaxEntries: 16_384, MaxGroups: 1024,
		MaxMeters: 1024, MaxOffered: 128_000, Sustained: time.Second, Quiet: 700 * time.Millisecond}
}

// withDefaults fills what is 0.
func (p Plan) withDefaults() Plan {
	d := DefaultPlan()
	if len(p.Batches) == 0 {
		p.Batches = d.Batches
	}
	if len(p.Answers) == 0 {
		p.Answers = d.Answers
	}
	for _, f := range []struct{ to, from *int }{{&p.Rounds, &d.Rounds}, {&p.MaxEntries, &d.MaxEntries},
		{&p.MaxGroups, &d.MaxGroups}, {&p.MaxMeters, &d.MaxMeters}, {&p.MaxOffered, &d.MaxOffered}} {
		*f.to = cmp.Or(*f.to, *f.from)
	}
	p.Sustained, p.Quiet = cmp.Or(p.Sustained, d.Sustained), cmp.Or(p.Quiet, d.Quiet)
	return p
}

// Measured is what Measure found of a switch.
type Measured struct {
	fit.Figures
	Version openflow.Version
	Switch  session.Features
	InForce InForce
	Notes   []string // what a reader of the figures has to know
}

// Reasons why a part was not measured.
var (
	// ErrNoSource is for what only packets show.
	ErrNoSource = errors.New("no packets are sent into the switch")
	// ErrNoPort is for packet-outs, which have to leave by a port.
	ErrNoPort = errors.New("no port is given for packet-outs")
	// ErrEarlyBarrier is for a switch that answers barriers before entries are in force.
	ErrEarlyBarrier = errors.New("the switch answers barriers before entries are in force")
	// ErrRefusing is for a switch that refuses what it is asked for.
	ErrRefusing = errors.New("the switch refuses it")
)

// measurement is one run of Measure.
type measurement struct {
	*Measured
	c     *Controller
	s     *session.Session
	inner *conn
	plan  Plan
	trial uint32
	heard heard
}

// Measure takes the figures of the switch. What cannot be measured is in Missing; the error is that
// of the session, or of ctx. All entries, groups and meters of the switch are deleted, before and
// after.
func (c *Controller) Measure(ctx context.Context, plan Plan) (*Measured, error) {
	s, inner, err := c.connected(ctx)
	if err != nil {
		return nil, err
	}
	m := &measurement{Measured: &Measured{Version: s.Version(), Switch: s.Features()}, c: c, s: s, inner: inner,
		plan: plan.withDefaults()}
	m.Missing = map[string]error{}
	t := tap(m.heard.packetIn)
	c.tap.Store(&t)
	defer c.tap.Store(nil)
	for _, step := range []struct {
		name    string
		measure func(context.Context) error
	}{
		{"round trip of a barrier", m.roundTrip},
		{"whether barriers are true", m.inForce},
		{"install rate, batches, delay", m.install},
		{"packet-ins", m.packetIn},
		{"packet-outs", m.packetOut},
		{"statistics, flow table", m.statistics},
		{"groups and meters", m.groupsAndMeters},
	} {
		if plan.Note != nil {
			plan.Note(step.name)
		}
		if err := m.clear(ctx); err != nil {
			return nil, fmt.Errorf("before measuring %s: %w", step.name, err)
		}
		if err := step.measure(ctx); err != nil {
			return nil, fmt.Errorf("measuring %s: %w", step.name, err)
		}
	}
	return m.Measured, m.clear(ctx)
}

// note keeps something for who reads the figures.
func (m *measurement) note(format string, args ...any) {
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
}

// timed sends messages and a barrier, and says how long after the sending the barrier's answer
// came, how many errors before it, and the first of them.
func (m *measurement) timed(ctx context.Context, frames []byte, count int) (took time.Duration, refused int, err error) {
	m.c.Errors()
	sent := time.Now()
	if count > 0 {
		if _, err := m.s.SendFrames(frames, count); err != nil {
			return 0, 0, err
		}
	}
	type answer struct {
		at  time.Time
		err error
	}
	came := make(chan answer, 1)
	if err := m.s.Barrier(func(err error) { came <- answer{m.inner.arrival(), err} }); err != nil {
		return 0, 0, err
	}
	select {
	case a := <-came:
		return a.at.Sub(sent), len(m.c.Errors()), a.err
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
}

// encode is messages as the session's version has them.
func (m *measurement) encode(messages ...openflow.Message) ([]byte, error) {
	var b []byte
	for _, x := range messages {
		var err error
		if b, err = openflow.Append(b, m.Version, 0, x); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// do sends messages and waits for a barrier.
func (m *measurement) do(ctx context.Context, messages ...openflow.Message) (refused int, err error) {
	b, err := m.encode(messages...)
	if err != nil {
		return 0, err
	}
	_, refused, err = m.timed(ctx, b, len(messages))
	return refused, err
}

// clear deletes all that the switch holds.
func (m *measurement) clear(ctx context.Context) error {
	all := []openflow.Message{deleteAll()}
	if m.Version != openflow.V10 {
		all = append(all, &openflow.GroupMod{Command: openflow.GroupDelete, Group: openflow.GroupAll},
			&openflow.MeterMod{Command: openflow.MeterDelete, Meter: openflow.MeterAll})
	}
	_, err := m.do(ctx, all...) // a switch without groups or meters refuses to delete them
	return err
}

// entries are so many that no packet meets, from a number on.
func (m *measurement) entries(from, count int) ([]byte, error) {
	var b []byte
	for i := from; i < from+count; i++ {
		f := flow{in: max(m.plan.In, 1), src: frameSrc, dst: packet.MACFromUint64(0x02_77_00_00_00_00 + uint64(i))}
		var err error
		if b, err = openflow.Append(b, m.Version, 0, f.entry(openflow.PortInPort)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// roundTrip times barriers that have nothing to wait for.
func (m *measurement) roundTrip(ctx context.Context) error {
	for range max(10*m.plan.Rounds, 10) {
		took, _, err := m.timed(ctx, nil, 0)
		if err != nil {
			return err
		}
		m.RoundTrip = append(m.RoundTrip, took)
	}
	m.Install = []fit.Timed{{N: 0, Took: m.RoundTrip}}
	return nil
}

// What a fast switch does takes less time than the machine's own noise, and is done more often: for
// so long, and so many times as often.
const (
	busyFor   = 2 * time.Second
	busyTimes = 10
)

// rounds are those of one kind of measurement.
type rounds struct {
	done, least int
	begun       time.Time
}

func (m *measurement) rounds() *rounds { return &rounds{least: m.plan.Rounds, begun: time.Now()} }

// next reports whether there is one more.
func (r *rounds) next() bool {
	r.done++
	return r.done <= r.least || r.done <= busyTimes*r.least && time.Since(r.begun) < busyFor
}

// install times batches of entries, each size in its turn, so that what changes with time changes
// all of them.
func (m *measurement) install(ctx context.Context) error {
	if m.Missing[fit.PartInstall] != nil {
		return nil
	}
	sizes := slices.Clone(m.plan.Batches)
	points := make([]fit.Timed, len(sizes))
	for r := m.rounds(); r.next(); {
		for i, n := range sizes {
			if n > m.plan.MaxEntries || points[i].N < 0 {
				continue
			}
			b, err := m.entries(0, n)
			if err != nil {
				return err
			}
			if err := m.clear(ctx); err != nil {
				return err
			}
			took, refused, err := m.timed(ctx, b, n)
			if err != nil {
				return err
			}
			if points[i].N = n; refused > 0 { // the table is full
				points[i] = fit.Timed{N: -1}
				continue
			}
			points[i].Took = append(points[i].Took, took)
		}
	}
	m.Install = append(m.Install, slices.DeleteFunc(points, func(t fit.Timed) bool { return t.N <= 0 })...)
	if len(m.Install) == 1 {
		m.Missing[fit.PartInstall] = fmt.Errorf("install: %w: it took no batch whole", ErrRefusing)
	}
	return nil
}

// wait waits for a time.
func wait(ctx context.Context, d time.Duration) error { return pace.Wait(ctx, d) }
