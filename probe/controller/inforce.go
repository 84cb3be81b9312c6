package controller

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe/fit"
)

// InForce is what packets showed of entries that a barrier had confirmed.
type InForce struct {
	Tried int             // entries
	Late  int             // of them, passed unseen by a packet that was sent after the barrier's answer
	Never int             // of Late, within the time that each was given
	Lag   []time.Duration // of the others of Late, from the barrier's answer to the sending of the first packet that met it
}

// How packets look for an entry: one after the other, so far apart, for so long. After that many
// that come neither way the source does not lead into the switch.
const (
	lookEvery = 2 * time.Millisecond
	lookFor   = 2 * time.Second
	// lateShare is the share of entries that may be late before barriers are not to be believed.
	lateShare = 0.1
)

// marking is an entry for the frames of the trials: it hands them up, marked.
func (m *measurement) marking() *openflow.FlowMod {
	f := flow{in: m.plan.In, src: frameSrc, dst: trialDst(m.trial)}
	return add(flowPriority, f.match(), openflow.SetFieldBytes(openflow.FieldEthDst, marked[:]),
		openflow.OutputController(openflow.ControllerNoCut))
}

// inForce asks packets whether entries are in force when barriers say so: one that comes alone, and
// one that is the last of many. The packets are of a new flow each time: of a flow that it has in a
// cache a switch may well know of a change later.
func (m *measurement) inForce(ctx context.Context) error {
	if m.plan.Source == nil {
		m.note("whether entries are in force when barriers say so was not looked at: %v", ErrNoSource)
		return nil
	}
	for i := range 2 * m.plan.Rounds {
		before := 0
		if i%2 == 1 {
			before = 50
		}
		came, err := m.look(ctx, before)
		if err != nil {
			return err
		}
		if !came {
			m.note("whether entries are in force when barriers say so is not known: no packet of %v came up: "+
				"does the source lead into port %d of the switch?", lookFor, m.plan.In)
			return nil
		}
	}
	f := &m.InForce
	if f.Late > 0 && float64(f.Late) > lateShare*float64(f.Tried) {
		late := "" // how late, where it is known
		if len(f.Lag) > 0 {
			t := fit.Timed{Took: f.Lag}
			late = fmt.Sprintf(", %v late (median)", t.Median().Round(time.Microsecond))
		}
		m.Missing[fit.PartInstall] = fmt.Errorf(
			"install: %w: packets sent after the barrier passed %d of %d entries%s, %d of them never met theirs in %v", ErrEarlyBarrier, f.Late, f.Tried, late, f.Never, lookFor)
	}
	return nil
}

// look installs an entry after so many others, and sends packets from the barrier's answer on until
// one comes up marked. It reports whether any came up.
func (m *measurement) look(ctx context.Context, before int) (came bool, err error) {
	if err := m.clear(ctx); err != nil {
		return false, err
	}
	if _, err := m.do(ctx, tableMiss()); err != nil {
		return false, err
	}
	m.trial++
	m.heard.begin(m.trial)
	b, err := m.entries(0, before)
	if err != nil {
		return false, err
	}
	if b, err = openflow.Append(b, m.Version, 0, m.marking()); err != nil {
		return false, err
	}
	if _, refused, err := m.timed(ctx, b, before+1); err != nil || refused > 0 {
		return true, err // it is not the entry that is late
	}
	confirmed := time.Now()
	var sent []time.Time
	for m.heard.marked() == 0 && time.Since(confirmed) < lookFor {
		sent = append(sent, time.Now())
		if err := m.plan.Source(appendFrame(nil, m.trial, uint32(len(sent)-1))); err != nil {
			return false, fmt.Errorf("sending into the switch: %w", err)
		}
		if err := wait(ctx, lookEvery); err != nil {
			return false, err
		}
	}
	if err := wait(ctx, 10*lookEvery); err != nil { // for those on their way
		return false, err
	}
	missed, first, got := m.heard.verdict()
	if !missed && !got {
		return false, nil
	}
	f := &m.InForce
	f.Tried++
	if missed {
		f.Late++
		if got {
			f.Lag = append(f.Lag, sent[first].Sub(confirmed))
		} else {
			f.Never++
		}
	}
	return true, nil
}
