package node

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// stand waits until this instance owns the store, and tells each time another does. An error is the context's.
func (o *ownership) stand(ctx context.Context, log *slog.Logger, tell func(*owner)) error {
	said := ""
	for {
		call, cancel := context.WithTimeout(ctx, leaseEvery)
		other, err := o.take(call)
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && other == nil:
			return nil
		case err != nil:
			log.Warn("the store does not say who owns it", "error", err)
		case other.Life != said:
			said = other.Life
			log.Warn("this instance is a standby: another one owns the store", "owner", other.Name, "api", other.API)
			tell(other)
		}
		if !sleep(ctx, leaseEvery) {
			return ctx.Err()
		}
	}
}

// keep says that the owner lives, until the context ends. trouble is told why the store does not take it, and "" when it does. The error is
// errDeposed, wrapped.
func (o *ownership) keep(ctx context.Context, trouble func(string)) error {
	for sleep(ctx, leaseEvery) {
		call, cancel := context.WithTimeout(ctx, leaseEvery)
		err := o.renew(call)
		cancel()
		switch {
		case errors.Is(err, errDeposed):
			return err
		case ctx.Err() != nil:
		case err != nil:
			trouble(err.Error())
		default:
			trouble("")
		}
	}
	return nil
}

// release gives the store to others at once.
func (o *ownership) release() {
	ctx, cancel := context.WithTimeout(context.Background(), leaseEvery)
	defer cancel()
	_ = o.st.Revoke(ctx, o.lease) // where it fails the lease ends by itself
}

// sleep is false if the context ends first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
