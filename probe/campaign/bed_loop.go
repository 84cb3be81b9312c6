package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/probe"
)

// Waiting times.
const (
	askAgain = 500 * time.Millisecond // for another station
	asks     = 10
	// missing is how long an echo may take until it counts as lost, beside its interval.
	missing = 2 * time.Second
)

// join has the stations find each other, which tells switches where they are.
func (b *bed) join(ctx context.Context) error {
	for range asks {
		for i := range b.ends {
			if err := b.ends[i].station.Ask(b.address(1 - i)); err != nil {
				return err
			}
		}
		found := func() bool {
			_, one := b.ends[0].station.Neighbour(b.address(1))
			_, other := b.ends[1].station.Neighbour(b.address(0))
			return one && other
		}
		if err := b.await(ctx, askAgain, found); err != nil {
			return err
		}
		if found() {
			return nil
		}
	}
	from, to := b.ends[0].nic.Config(), b.ends[1].nic.Config()
	return &probe.Refusal{Why: probe.ErrNoAnswer, Seen: fmt.Sprintf("%s does not reach %s", from.String(), to.String()),
		Want: "a path between them", Do: "look at the switch, its controller, and --vlan"}
}

// await waits until ok, or for so long. The error is the context's.
func (b *bed) await(ctx context.Context, limit time.Duration, ok func() bool) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		case <-b.changed:
		}
	}
	return nil
}

// echo sends echoes, one after the other's end and not before the interval is over, and waits until
// all that came of them was seen.
func (b *bed) echo(ctx context.Context, size, count int, interval time.Duration) (*round, error) {
	b.reset()
	clocks := []probe.Clocks{readClocks()}
	for seq := range count {
		begun := time.Now()
		before := b.passages()
		if err := b.ends[0].station.Echo(b.address(1), echoID, uint16(seq), size); err != nil {
			return nil, fmt.Errorf("echo %d of %d bytes: %w", seq, size, err)
		}
		whole := func() bool { // a request and a reply at each end
			now := b.passages()
			return now[0] >= before[0]+2 && now[1] >= before[1]+2
		}
		if err := b.await(ctx, missing, whole); err != nil {
			return nil, err
		}
		if err := b.await(ctx, interval-time.Since(begun), func() bool { return false }); err != nil {
			return nil, err
		}
		clocks = append(clocks, readClocks())
	}
	r := b.take()
	r.clocks = clocks
	return r, nil
}

// echoID is the identifier of our echoes.
const echoID = 0x5765

// readClocks reads the wall clock, which is that of software stamps, and the monotonic one as close
// to each other as a few tries give it.
func readClocks() (c probe.Clocks) {
	closest := time.Hour
	for range 8 {
		before := time.Now()
		wall := time.Now()
		if took := time.Since(before); took < closest {
			closest = took
			c = probe.Clocks{Wall: probe.Stamp(wall.UnixNano()), Monotonic: probe.Stamp(wall.Sub(epoch))}
		}
	}
	return c
}

// epoch is a moment of the monotonic clock.
var epoch = time.Now()
