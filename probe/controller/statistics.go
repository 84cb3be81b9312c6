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

// fillBy is how many entries are sent at once where their time does not matter.
const fillBy = 512

// statistics times answers with ever more entries, and fills the table on to its end.
func (m *measurement) statistics(ctx context.Context) error {
	m.Tables.Count = int(m.Switch.Tables)
	if m.Switch.Buffers > 0 {
		m.Tables.Buffers = int(min(m.Switch.Buffers, maxBuffers))
	}
	held, full := 0, false
	fill := func(to int) (err error) {
		for held < to && !full && err == nil {
			held, full, err = m.fill(ctx, held, min(to-held, fillBy))
		}
		return err
	}
	for _, n := range m.plan.Answers {
		if full || n > m.plan.MaxEntries {
			break
		}
		if err := fill(n); err != nil {
			return err
		}
		point, err := m.answersWith(ctx, held)
		var refused *session.PeerError
		if errors.As(err, &refused) {
			m.Missing[fit.PartStatistics] = fmt.Errorf("statistics: %w: %w", ErrRefusing, err)
			break
		}
		if err != nil {
			return err
		}
		m.Statistics = append(m.Statistics, point)
	}
	if err := fill(m.plan.MaxEntries); err != nil {
		return err
	}
	if full {
		m.Tables.Entries = held
	} else {
		m.note("table 0 took %d entries without being full: its size is not known", held)
	}
	return nil
}

// maxBuffers is as many as a profile can have.
const maxBuffers = 1 << 16

// fill adds entries to those that the switch holds, and says how many there are then, and whether
// some were refused.
func (m *measurement) fill(ctx context.Context, held, more int) (now int, full bool, err error) {
	b, err := m.entries(held, more)
	if err != nil {
		return held, false, err
	}
	_, refused, err := m.timed(ctx, b, more)
	return held + more - refused, refused > 0, err
}

// answersWith times answers with all entries, of which there are so many. One in which they are not
// is not timed.
func (m *measurement) answersWith(ctx context.Context, held int) (fit.Timed, error) {
	point := fit.Timed{N: held}
	short := 0
	r := m.rounds()
	for r.next() {
		took, came, err := m.answer(ctx)
		if err != nil {
			return point, err
		}
		if came != held {
			short++
			continue
		}
		point.Took = append(point.Took, took)
	}
	if short > 0 {
		m.note("%d of %d answers with %d entries had not all of them", short, r.done-1, held)
	}
	return point, nil
}

// answer asks for all entries, and says how long after the asking the last of them came, and how
// many there were.
func (m *measurement) answer(ctx context.Context) (took time.Duration, came int, err error) {
	body := &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny,
		OutGroup: openflow.GroupAny}}
	type ended struct {
		at  time.Time
		err error
	}
	end := make(chan ended, 1)
	var reader openflow.FlowStatsReader
	count := func(v openflow.Version, b []byte) error {
		_, err := reader.Each(v, b, func(*openflow.FlowStats) { came++ })
		return err
	}
	asked := time.Now()
	if err := m.s.MultipartParts(body, count, func(err error) { end <- ended{m.inner.arrival(), err} }); err != nil {
		return 0, 0, err
	}
	select {
	case e := <-end:
		return e.at.Sub(asked), came, e.err
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
}

// groupsAndMeters fills the tables of both, as far as there are any.
func (m *measurement) groupsAndMeters(ctx context.Context) (err error) {
	if m.Version == openflow.V10 {
		return nil
	}
	m.Tables.Groups, err = m.most(ctx, "groups", m.plan.MaxGroups, func(i int) openflow.Message {
		return &openflow.GroupMod{Command: openflow.GroupAdd, Kind: openflow.GroupTypeIndirect, Group: uint32(i + 1),
			Buckets: []openflow.Bucket{{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny,
				Actions: []openflow.Action{openflow.Output(openflow.PortInPort)}}}}
	})
	if err != nil {
		return err
	}
	m.Tables.Meters, err = m.most(ctx, "meters", m.plan.MaxMeters, func(i int) openflow.Message {
		return &openflow.MeterMod{Command: openflow.MeterAdd, Flags: openflow.MeterFlagKbps, Meter: uint32(i + 1),
			Bands: []openflow.Band{{Type: openflow.BandDrop, Rate: 1_000_000}}}
	})
	return err
}

// most adds things until the switch refuses one, and says how many it took; 0 if there was no end,
// or it took none.
func (m *measurement) most(ctx context.Context, what string, limit int, make func(i int) openflow.Message) (int, error) {
	const by = 64
	for held := 0; held < limit; held += by {
		var list []openflow.Message
		for i := range by {
			list = append(list, make(held+i))
		}
		refused, err := m.do(ctx, list...)
		if err != nil {
			return 0, err
		}
		if taken := held + by - refused; refused > 0 {
			if taken == 0 {
				m.note("the switch takes no %s", what)
			}
			return taken, nil
		}
	}
	m.note("the switch took %d %s without an end: how many it takes is not known", limit, what)
	return 0, nil
}
