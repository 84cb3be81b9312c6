//go:build real && linux

package profile_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe/controller"
)

// patience is how long something may take that is not measured.
const patience = 20 * time.Second

// figures are what echoes of one payload between two hosts came to.
type figures struct {
	begun      []time.Duration // two-way path latency of the first echo
	setup      []time.Duration // how much longer that was than the median of later ones
	path       []time.Duration // two-way path latency of later echoes
	rtt        []time.Duration // what ping said of them
	first      []time.Duration // what ping said of the first
	controller []time.Duration // of each flow: from its packet-in on the wire to its entry
}

// After the first echo there are so many more, so far apart. The first of them is not measured: in
// Open vSwitch it is the first that the new entry takes, and goes by the slow path too.
const (
	more = 5
	pace = 15 * time.Millisecond
)

// pings has one host ping the other, where no flow is set up, so many times, and adds what comes of
// it. forgotten is called when the controller has taken all flows away.
func (f *figures) pings(t *testing.T, r *controller.Controller, a, b *netlab.Host, payload, times int,
	forgotten func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(times)*patience)
	defer cancel()
	for range times {
		if err := r.Forget(ctx); err != nil {
			t.Fatal(err)
		}
		forgotten()
		r.Answers()
		first, then := a.Echoes(b, 1, payload, pace), a.Echoes(b, more, payload, pace)
		for _, a := range r.Answers() {
			f.controller = append(f.controller, a.Share)
		}
		if len(first) != 1 || len(then) != more {
			continue // one was lost: another does not stand for it
		}
		var later []time.Duration
		for _, e := range then[1:] {
			later, f.rtt = append(later, e.Path()), append(f.rtt, e.RTT)
		}
		f.path = append(f.path, later...)
		f.first, f.begun = append(f.first, first[0].RTT), append(f.begun, first[0].Path())
		f.setup = append(f.setup, first[0].Path()-quantile(later, 0.5))
	}
	if len(f.setup) < times/2 {
		t.Fatalf("%d of %d pings of %d bytes lost nothing, want half at least", len(f.setup), times, payload)
	}
}

// quantile is the value that a share of the list is not above.
func quantile(list []time.Duration, share float64) time.Duration {
	s := slices.Sorted(slices.Values(list))
	return s[min(int(share*float64(len(s))), len(s)-1)]
}

func median(list []time.Duration) time.Duration { return quantile(list, 0.5) }

// spread is a median and what it lies between: a tenth is below, a tenth is above.
func spread(list []time.Duration) string {
	us := func(share float64) string {
		return fmt.Sprint(quantile(list, share).Round(time.Microsecond).Microseconds())
	}
	return us(0.5) + " (" + us(0.1) + " – " + us(0.9) + ")"
}

// row is a line of a table: of what was measured, in microseconds.
func (f *figures) row(name string, payload int) string {
	controller := "–" // of fragments, each of which comes to the controller, none is the answer to another
	if payload <= 1500-28 && len(f.controller) > 0 {
		controller = spread(f.controller)
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %s | %d |", name, payload, spread(f.setup), spread(f.path),
		spread(f.rtt), spread(f.first),
		controller, len(f.setup))
}

const header = "| switch | payload | flow set-up | path latency | ping, later | ping, first | controller, of each flow | pings |\n|---|---|---|---|---|---|---|---|"
