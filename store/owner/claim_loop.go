package owner

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/weirnet/weir/beat"
	"github.com/weirnet/weir/store"
)

// untold is after how many looks in vain it is told that nobody knows who owns the store.
const untold = 3

// Wait waits until this instance owns the store, and tells each time another does; nil: the store has not said for a while. It
// looks each time that the owner's row goes, or its owner is dead (Dead), and every second. An error is the context's.
func (o *Claim) Wait(ctx context.Context, log *slog.Logger, tell func(*Instance)) error {
	watching, stop := context.WithCancel(ctx)
	var watcher sync.WaitGroup
	watcher.Go(func() { o.watch(watching) })
	defer watcher.Wait()
	defer stop()
	said, failed := "", 0
	for {
		other, err := o.Try(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && other == nil:
			return nil
		case errors.Is(err, errLeft):
			log.Warn(err.Error())
		case other == nil:
			log.Warn("the store does not say who owns it", "error", err)
			if failed++; failed == untold {
				tell(nil)
			}
		case err != nil:
			log.Warn("the store does not take that this instance stands by", "error", err)
		}
		if other != nil && other.Incarnation != said {
			said = other.Incarnation
			log.Warn("this instance is a standby: another one owns the store", "owner", other.Name, "api", other.API)
			tell(other)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-o.news:
		case <-time.After(leaseEvery):
		}
	}
}

// watch rings each time that the owner's row changes.
func (o *Claim) watch(ctx context.Context) {
	for ctx.Err() == nil {
		w, err := o.st.Watch(ctx, store.Key(ownerKey), 0)
		for err == nil {
			if _, err = w.Next(ctx); err == nil {
				o.ring()
			}
		}
		if w != nil {
			w.Close()
		}
		beat.Sleep(ctx, leaseEvery)
	}
}

// Hold has a goroutine say that the owner lives (keep) until ended is called, which waits for it. It
// is called before the instance loads what is in the store, which may take longer than the lease.
// The context that it returns ends when this instance is to step down: when another has taken the store, or may have.
// trouble is as for keep.
func (o *Claim) Hold(ctx context.Context, trouble func(string)) (held context.Context, ended func()) {
	held, stop := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := o.keep(held, trouble); err != nil {
			stop(err)
		}
	}()
	return held, func() {
		stop(nil)
		<-done
	}
}

// SteppedDown is why an instance has to step down, ErrDeposed or ErrUnconfirmed, wrapped, if that is why a context of Hold
// has ended; nil if it was told to end.
func SteppedDown(ctx context.Context) error {
	if cause := context.Cause(ctx); StepsDown(cause) {
		return cause
	}
	return nil
}

// StepsDown reports whether an error is one for which an instance steps down.
func StepsDown(err error) bool { return errors.Is(err, ErrDeposed) || errors.Is(err, ErrUnconfirmed) }

// DeposedBy is who has taken the store, if that is why a context of Hold, or one made of it, has ended.
func DeposedBy(ctx context.Context) (by Instance, ok bool) {
	var d *deposed
	if !errors.As(context.Cause(ctx), &d) {
		return by, false
	}
	return d.by, true
}

// keep renews the ownership until the context ends, or this instance is to step down (Keeper.Step).
func (o *Claim) keep(ctx context.Context, trouble func(string)) error {
	k := o.Keeper()
	defer k.End()
	for wait := leaseEvery; beat.Sleep(ctx, wait); {
		var err error
		if wait, err = k.Step(ctx, trouble); ctx.Err() != nil {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Release gives the store to others at once.
func (o *Claim) Release() {
	if o.lease == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaseEvery)
	defer cancel()
	_ = o.st.Revoke(ctx, o.lease) // where it fails the lease ends by itself
}
