package campaign

import (
	"context"
	"fmt"
	"time"

	"github.com/weirnet/weir/probe"
)

// Waiting times.
const (
	askAgain = 250 * time.Millisecond // for another station, at each end
	asks     = 10
	// missing is how long an echo may take until it counts as lost, beside its interval.
	missing = 2 * time.Second
)

// join has the stations find each other, which tells switches where they are.
func (b *bed) join(ctx context.Context) error {
	for range asks {
		known := 0
		for i, e := range b.ends {
			ok, err := e.ask(ctx, b.address(1-i), askAgain)
			if err != nil {
				return err
			}
			if ok {
				known++
			}
		}
		if known == len(b.ends) {
			return nil
		}
	}
	return &probe.Refusal{Why: probe.ErrNoAnswer,
		Seen: fmt.Sprintf("%s does not reach %s", b.ends[0].about().name, b.ends[1].about().name),
		Want: "a path between them", Do: "look at the switch, its controller, and --vlan"}
}

// await waits until ok, or for so long; changed has a token when it is worth to look again. The
// error is the context's.
func await(ctx context.Context, changed <-chan struct{}, limit time.Duration, ok func() bool) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			return nil
		case <-changed:
		}
	}
	return nil
}

// echo sends echoes, one after the other's end and not before the interval is over, and waits until
// all that came of them was seen.
func (b *bed) echo(ctx context.Context, size, count int, interval time.Duration) (*round, error) {
	if err := b.reset(ctx); err != nil {
		return nil, err
	}
	for seq := range count {
		begun := time.Now()
		before := b.echoes()
		if err := b.near.station.Echo(b.address(1), echoID, uint16(seq), size); err != nil {
			return nil, fmt.Errorf("echo %d of %d bytes: %w", seq, size, err)
		}
		whole := func() bool { // a request and a reply at each end that is seen from here
			for i, now := range b.echoes() {
				if _, ok := b.ends[i].(*local); ok && now < before[i]+2 {
					return false
				}
			}
			return true
		}
		if err := await(ctx, b.changed, missing, whole); err != nil {
			return nil, err
		}
		if err := await(ctx, b.changed, interval-time.Since(begun), func() bool { return false }); err != nil {
			return nil, err
		}
	}
	return b.take(ctx)
}

// echoID is the identifier of our echoes.
const echoID = 0x5765
