package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe/controller"
)

// Rules is when the switch gets the entries of the stations' flows.
type Rules uint8

const (
	// Reactive rules are set up when the first packet of a flow comes.
	Reactive Rules = iota
	// Installed rules are written and confirmed before.
	Installed
)

var rulesNames = [...]string{"reactive", "installed"}

// String is the name as in a flag.
func (r Rules) String() string { return rulesNames[r] }

// Prepare has a switch hold no entries of flows between stations, or those of all pairs of them, as
// the rules are. The controller has to know where the stations are (controller.Learn).
func (r Rules) Prepare(ctx context.Context, c *controller.Controller, stations ...packet.MAC) error {
	if err := c.Forget(ctx, stations...); err != nil {
		return fmt.Errorf("forgetting flows: %w", err)
	}
	if r == Reactive {
		return nil
	}
	if err := c.InstallPairs(ctx, stations...); err != nil {
		return fmt.Errorf("installing entries: %w", err)
	}
	return nil
}

// back is for how long a switch may be gone; a variable for tests.
var back = 10 * time.Second

// ready waits for the switch, where it is ours.
func (c *Latency) ready(ctx context.Context) error {
	if c.Controller == nil {
		return nil
	}
	return c.Controller.ReadyWithin(ctx, back)
}

// meet has the stations of a path find each other, through a switch of ours if there is a controller,
// which then knows where they are.
func (c *Latency) meet(ctx context.Context, path *bed) error {
	if c.Controller == nil {
		return path.join(ctx)
	}
	c.Controller.Learn(controller.MACPair)
	if err := c.Controller.Forget(ctx); err != nil {
		return fmt.Errorf("forgetting flows: %w", err)
	}
	if err := path.join(ctx); err != nil {
		return err
	}
	for range settling { // answers to what was asked again are under way
		before := c.asked()
		if err := await(ctx, path.changed, settled, func() bool { return false }); err != nil || c.asked() == before {
			return err
		}
	}
	return nil
}

// leave has a switch of ours hold nothing.
func (c *Latency) leave(ctx context.Context) {
	if c.Controller == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), missing)
	defer cancel()
	_ = c.Controller.Forget(ctx) // it may be gone
}

// The stations have found each other when nothing has come to the controller for so long, or after so
// many times of it.
const (
	settled  = 500 * time.Millisecond
	settling = 10
)

// prepare is Rules.Prepare of the stations, where the switch is ours.
func (c *Latency) prepare(ctx context.Context) error {
	if c.Controller == nil {
		return nil
	}
	return c.Rules.Prepare(ctx, c.Controller, stationMACs[:]...)
}

// again has stations find each other again, where the switch has another controller: what such a one
// and its switch know ages.
func (c *Latency) again(ctx context.Context, path *bed) error {
	if c.Controller != nil {
		return nil
	}
	return path.join(ctx)
}

// asked is how many packets have come to the controller.
func (c *Latency) asked() int {
	if c.Controller == nil {
		return 0
	}
	return int(c.Controller.PacketIns())
}
