package confirmed

import (
	"context"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/pace"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/openflow"
)

// TestMissing: what a switch has lost that it had confirmed is missing, unless its restart was announced; a new session
// excuses nothing.
func TestMissing(t *testing.T) {
	c, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	shape, err := topo.Parse("linear:2", 1)
	if err != nil {
		t.Fatal(err)
	}
	n, err := emu.New(emu.Config{Topology: shape, Versions: []openflow.Version{openflow.V13}, Controllers: []string{c.Address()},
		BackoffMax: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if c.Add() {
		t.Error("added at no switch")
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = n.Close(context.Background()) }()
	sessions := func(want int) {
		t.Helper()
		err := pace.Until(t.Context(), time.Millisecond, time.Minute, func() (bool, error) {
			count, _ := c.Sessions(time.Time{})
			return count == want, nil
		}, func() error { return errAway })
		if err != nil {
			t.Fatal(err)
		}
	}
	sessions(2)
	for range 2 * burst {
		if !c.Add() {
			t.Fatal("not added")
		}
	}
	nobody := func(uint64) bool { return false }
	missing := func(what string, restarted func(uint64) bool, confirmed, lost int) {
		t.Helper()
		got, gone, err := c.Missing(t.Context(), restarted)
		if err != nil || got != confirmed || gone != lost {
			t.Errorf("%s: %d of %d are missing, %v, want %d of %d", what, gone, got, err, lost, confirmed)
		}
	}
	missing("all is well", nobody, 2*burst, 0)
	first := n.Switches()[0]
	before, _ := c.Sessions(time.Now())
	if before != 0 {
		t.Errorf("%d sessions begin later than now", before)
	}
	first.Down()
	sessions(1)
	if _, _, err := c.Missing(t.Context(), nobody); err == nil {
		t.Error("a switch without power was read")
	}
	first.Up()
	sessions(2)
	missing("a switch has lost its tables", nobody, 2*burst, burst)
	missing("and says so", func(dpid uint64) bool { return dpid == shape.Switches[0].DPID }, burst, 0)
	if err := c.Forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	missing("forgotten", nobody, 0, 0)
	if c.Answered().IsZero() || c.Err() != nil {
		t.Errorf("answered at %v, %v", c.Answered(), c.Err())
	}
}
