package tenants

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/openflow"
)

// Times of settling.
const (
	settlePoll = 5 * time.Millisecond
	probeEvery = 200 * time.Millisecond
)

// Settle waits until all switches are connected to all tenants' controllers, has these ask for packet-ins if it is
// these that are measured, and waits until a message of each tenant at each switch has come through.
func (l *Load) Settle(ctx context.Context) error { return settling{l}.run(ctx) }

// settling is what has to be done before messages come through.
type settling struct{ *Load }

func (l settling) run(ctx context.Context) error {
	if err := l.await(ctx, l.connected); err != nil {
		return err
	}
	if l.c.Kind.shows() && l.c.Version != openflow.V10 { // 1.0 shows packets that no entry matches
		l.each(func(t *tenant) {
			for _, s := range t.controllers {
				if _, err := s.Send(addition(0, openflow.OutputController(openflow.ControllerNoCut))); err != nil {
					t.fail(err)
				}
			}
		})
	}
	if err := l.await(ctx, l.prepare); err != nil {
		return err
	}
	own, err := l.outlets(false)
	if err == nil {
		l.paced, err = l.outlets(true)
	}
	if err != nil {
		return err
	}
	l.each(func(t *tenant) { t.own = own[t.number] })
	if err := l.probe(ctx); err != nil {
		return err
	}
	for _, s := range l.sources {
		s.settled()
	}
	return l.check()
}

// await waits until something is as it is to be.
func (l settling) await(ctx context.Context, is func() error) error {
	var last error
	return pace.Until(ctx, settlePoll, l.c.Settle, func() (bool, error) {
		last = is()
		return last == nil, nil
	}, func() error { return fmt.Errorf("after %v: %w", l.c.Settle, errors.Join(last, l.check())) })
}

// probe sends a message of each tenant to each switch, and again what had no answer. Errors on the way are forgotten
// when all have come.
func (l settling) probe(ctx context.Context) error {
	left := make([]int, len(l.tenants)) // switches without an answer
	for i := range left {
		left[i] = l.c.Switches
	}
	for began := l.Clock(); ; {
		n := 0
		l.each(func(t *tenant) {
			t.window.Abandon()
			if left[t.number] > 0 {
				t.next = l.c.Switches - left[t.number]
				t.sendNow(1, l.Clock())
				n++
			}
		})
		if n == 0 {
			l.each(func(t *tenant) { t.next, t.problem = 0, nil })
			return nil
		}
		for sent := l.Clock(); l.waiting() > 0 && l.Clock()-sent < probeEvery; {
			if err := pace.Wait(ctx, time.Millisecond); err != nil {
				return err
			}
		}
		l.each(func(t *tenant) {
			if left[t.number] > 0 && t.window.Waiting() == 0 {
				left[t.number]--
			}
		})
		if l.Clock()-began > l.c.Settle {
			return l.notThrough(n)
		}
	}
}

// notThrough is the error where messages of n tenants do not come through.
func (l settling) notThrough(n int) error {
	foreign := uint64(0)
	l.each(func(t *tenant) { foreign += t.tally.foreign })
	err := fmt.Errorf("after %v: %s of %d of %d tenants do not come through", l.c.Settle, l.c.Kind.Messages(), n, len(l.tenants))
	if foreign > 0 {
		err = fmt.Errorf("%w; %d came to another tenant's controller", err, foreign)
	}
	return errors.Join(err, l.check())
}

// connected finds the first connection of a tenant's controller that is missing.
func (l settling) connected() (err error) {
	l.each(func(t *tenant) {
		for i, s := range t.controllers {
			if s == nil && err == nil {
				err = fmt.Errorf("switch %d has not connected to the controller of tenant %d", i+1, t.number+1)
				err = errors.Join(err, t.problem)
			}
		}
	})
	return err
}

// prepare makes tenants' templates. It is an error where packets are not shown to controllers yet.
func (l settling) prepare() error {
	for _, t := range l.tenants {
		var list []*template
		for i := range l.c.Switches {
			p := newRequest(l.c.Kind, l.c.Version, t.number)
			if l.c.Kind.shows() {
				s := l.source(t.number, i)
				if p = s.packetIn(t.number); p == nil {
					return fmt.Errorf("switch %d, with %s, shows packets of tenant %d to no controller", i+1,
						report.Plural(s.sw.Entries(), "entry", "entries"), t.number+1)
				}
			}
			list = append(list, p)
		}
		t.mu.Lock()
		t.templates = list
		t.mu.Unlock()
	}
	return nil
}
