package owner

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Keeper renews the ownership of a Claim, and opens the gate to switches each time that nothing is against it. One goroutine at
// a time steps it.
type Keeper struct {
	o         *Claim
	gap       time.Time // since when the store has not said, after a gap, who owns it; zero: there is no gap
	confirmed time.Time // when a check that succeeded began
}

// Keeper makes that of an instance that has just become the owner. Its first step is due after leaseEvery.
func (o *Claim) Keeper() *Keeper { return &Keeper{o: o, confirmed: o.gate.now()} }

// gapRetry is how soon an instance asks again whether it still is the owner, where it may not be.
const gapRetry = 50 * time.Millisecond

// Step renews the ownership, and returns how long to wait until the next step. The gate is opened if this instance is the owner,
// or if the store does not answer, and nobody else was seen to stand by. After a gap of its own this instance is the owner only
// if the store says so, or does not answer for leaseTime. Where another stands by, and the store does not answer, the gate stays
// as it is, which closes it after gapLimit, and after leaseTime this instance steps down. trouble is told why the store does not
// take it, and "" when it does. The error is ErrDeposed or ErrUnconfirmed, wrapped. Where the context ends meanwhile nothing is
// concluded.
func (k *Keeper) Step(ctx context.Context, trouble func(string)) (wait time.Duration, err error) {
	o := k.o
	began := o.gate.now()
	if o.gate.stale(began) && k.gap.IsZero() {
		k.gap = began
	}
	call, cancel := context.WithTimeout(ctx, leaseEvery)
	err = o.renew(call)
	cancel()
	switch {
	case errors.Is(err, ErrDeposed):
		o.gate.end()
		return 0, err
	case ctx.Err() != nil:
		return leaseEvery, nil
	case err != nil:
		trouble(err.Error())
		now := o.gate.now()
		if len(o.Standbys()) > 0 {
			if since(k.confirmed, now) >= leaseTime {
				o.gate.end()
				return 0, fmt.Errorf("%w: %w", ErrUnconfirmed, err)
			}
			return gapRetry, nil
		}
		if !k.gap.IsZero() && now.Sub(k.gap) < leaseTime {
			return gapRetry, nil
		}
	default:
		trouble("")
		k.confirmed = began
	}
	k.gap = time.Time{}
	o.gate.refresh(began)
	return leaseEvery, nil
}

// End leaves the gate as it is for an orderly shutdown: no more steps are made.
func (k *Keeper) End() { k.o.gate.keepState() }

// since is how long ago a time was, by the monotonic clock or the wall clock, whichever has gone on for longer: the first stops
// while a machine sleeps.
func since(t, now time.Time) time.Duration {
	return max(now.Sub(t), now.Round(0).Sub(t.Round(0)))
}
