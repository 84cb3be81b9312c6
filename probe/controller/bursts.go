package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe/fit"
	"github.com/weirnet/weir/session"
)

// atOnce are the sizes of bursts as fast as they can be sent.
var atOnce = []int{100, 300, 1000, 3000, 10_000}

// firstOffered is the first rate that is tried, a second, and how much more each next one is.
const (
	firstOffered = 2000
	offeredTimes = 4
)

// bursts has so many packets be sent, at a rate or at once, in ways that tell a rate from a queue:
// at once, then at growing rates until some are lost, then for several times at that rate.
func (m *measurement) bursts(ctx context.Context,
	burst func(ctx context.Context, n, perSecond int) (fit.Burst, error)) ([]fit.Burst, error) {
	var list []fit.Burst
	try := func(n, perSecond int) (lossy bool, err error) {
		b, err := burst(ctx, n, perSecond)
		if err != nil {
			return false, err
		}
		list = append(list, b)
		return b.Lost(), nil
	}
	for _, n := range atOnce {
		if _, err := try(n, 0); err != nil {
			return nil, err
		}
	}
	offered := func(rate int, part time.Duration) int { return int(float64(rate) * part.Seconds()) }
	for rate := firstOffered; rate <= m.plan.MaxOffered; rate *= offeredTimes {
		lossy, err := try(offered(rate, m.plan.Sustained/2), rate)
		if err != nil {
			return nil, err
		}
		if !lossy {
			continue
		}
		rate = min(2*rate, m.plan.MaxOffered)
		for _, part := range []time.Duration{4, 4, 2, 2, 1, 1} {
			if _, err := try(offered(rate, m.plan.Sustained/part), rate); err != nil {
				return nil, err
			}
		}
		break
	}
	return list, nil
}

// paced calls send n times, at a rate or at once, and says how long it took from the first call to
// the last one. Where it is late it makes up for it.
func paced(ctx context.Context, n, perSecond int, send func(i int) error) (begun time.Time, over time.Duration, err error) {
	begun = time.Now()
	for i := range n {
		if perSecond > 0 {
			due := time.Duration(i) * time.Second / time.Duration(perSecond)
			if ahead := due - time.Since(begun); ahead > 0 {
				if err := wait(ctx, ahead); err != nil {
					return begun, 0, err
				}
			}
		}
		over = time.Since(begun)
		if err := send(i); err != nil {
			return begun, 0, err
		}
	}
	return begun, over, nil
}

// settle is how long a switch may go on doing with packets of a kind what it did with the last ones,
// after entries changed: Open vSwitch keeps that in its datapath for some milliseconds.
const settle = 50 * time.Millisecond

// packetIn finds how many packets the switch hands up that no entry takes.
func (m *measurement) packetIn(ctx context.Context) (err error) {
	if m.plan.Source == nil {
		m.Missing[fit.PartPacketIn] = fmt.Errorf("packet_in: %w", ErrNoSource)
		return nil
	}
	if _, err := m.do(ctx, tableMiss()); err != nil {
		return err
	}
	if err := wait(ctx, settle); err != nil {
		return err
	}
	m.PacketIn, err = m.bursts(ctx, m.packetInBurst)
	some := false
	for _, b := range m.PacketIn {
		some = some || b.Done > 0
	}
	if err == nil && !some {
		m.Missing[fit.PartPacketIn] = fmt.Errorf("packet_in: %w: none came up: does the source lead into port %d of the switch?",
			ErrNoSource, m.plan.In)
	}
	return err
}

// packetInBurst sends packets, and counts those that come up.
func (m *measurement) packetInBurst(ctx context.Context, n, perSecond int) (fit.Burst, error) {
	m.trial++
	m.heard.begin(m.trial)
	frame := appendFrame(nil, m.trial, 0)
	begun, over, err := paced(ctx, n, perSecond, func(int) error { return m.plan.Source(frame) })
	if err != nil {
		return fit.Burst{}, fmt.Errorf("sending into the switch: %w", err)
	}
	b := fit.Burst{Sent: n, Over: over}
	end := time.Now()
	for {
		count, last := m.heard.came()
		if last.After(end) {
			end = last
		}
		if b.Done = min(count, n); count > 0 {
			b.Took = last.Sub(begun)
		}
		if count >= n || time.Since(end) > m.plan.Quiet {
			return b, nil
		}
		if err := wait(ctx, 5*time.Millisecond); err != nil {
			return b, err
		}
	}
}

// packetOut finds how many packets the switch sends for its controller: those that its port counts.
func (m *measurement) packetOut(ctx context.Context) (err error) {
	if m.plan.Out == 0 {
		m.Missing[fit.PartPacketOut] = fmt.Errorf("packet_out: %w", ErrNoPort)
		return nil
	}
	if _, err := m.transmitted(ctx); err != nil {
		var refused *session.PeerError
		if errors.As(err, &refused) || errors.Is(err, ErrNoPort) {
			m.Missing[fit.PartPacketOut] = fmt.Errorf("packet_out: %w", err)
			return nil
		}
		return err
	}
	m.PacketOut, err = m.bursts(ctx, m.packetOutBurst)
	some := false
	for _, b := range m.PacketOut {
		some = some || b.Done > 0
	}
	if err == nil && !some {
		m.Missing[fit.PartPacketOut] = fmt.Errorf("packet_out: %w: port %d counted none: has it a link?", ErrNoPort, m.plan.Out)
	}
	return err
}

// packetOutBurst sends packet-outs, waits for a barrier, and counts those that have left.
func (m *measurement) packetOutBurst(ctx context.Context, n, perSecond int) (fit.Burst, error) {
	m.trial++
	out, err := m.encode(&openflow.PacketOut{Buffer: openflow.NoBuffer, InPort: openflow.PortController,
		Actions: []openflow.Action{openflow.Output(m.plan.Out)}, Data: appendFrame(nil, m.trial, 0)})
	if err != nil {
		return fit.Burst{}, err
	}
	before, err := m.transmitted(ctx)
	if err != nil {
		return fit.Burst{}, err
	}
	begun, over, err := paced(ctx, n, perSecond, func(int) error { return m.s.SendBytes(out) })
	if err != nil && !errors.Is(err, session.ErrFull) {
		return fit.Burst{}, err
	}
	if err != nil { // the switch takes them no faster, and what was queued is lost to nobody
		return fit.Burst{}, nil
	}
	if _, _, err := m.timed(ctx, nil, 0); err != nil {
		return fit.Burst{}, err
	}
	b := fit.Burst{Sent: n, Over: over, Took: m.inner.arrival().Sub(begun)}
	b.Done, err = m.settled(ctx, before, n)
	return b, err
}

// transmitted is how many packets have left by the port.
func (m *measurement) transmitted(ctx context.Context) (uint64, error) {
	reply, err := m.s.RequestContext(ctx, &openflow.MultipartRequest{Body: &openflow.PortStatsRequest{Port: m.plan.Out}})
	if err != nil {
		return 0, err
	}
	if r, ok := reply.(*openflow.MultipartReply); ok {
		if list, ok := r.Body.(*openflow.PortStatsList); ok && len(list.Ports) == 1 {
			return list.Ports[0].TxPackets, nil
		}
	}
	return 0, fmt.Errorf("%w: the switch tells no counters of port %d", ErrNoPort, m.plan.Out)
}

// settled waits until the port's counter has grown by n, or does not grow for a while, and says by
// how much it has.
func (m *measurement) settled(ctx context.Context, before uint64, n int) (int, error) {
	grown, since := 0, time.Now()
	for {
		now, err := m.transmitted(ctx)
		if err != nil {
			return 0, err
		}
		if got := int(now - before); got != grown {
			grown, since = got, time.Now()
		}
		if grown >= n || time.Since(since) > m.plan.Quiet {
			return min(grown, n), nil
		}
		if err := wait(ctx, 20*time.Millisecond); err != nil {
			return 0, err
		}
	}
}
