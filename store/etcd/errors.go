package etcd

import (
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/weirnet/weir/store"
)

// certain are the errors after which nothing was done for certain.
var certain = []struct{ etcd, ours error }{
	{rpctypes.ErrNoSpace, store.ErrFull},
	{rpctypes.ErrCompacted, store.ErrCompacted},
	{rpctypes.ErrFutureRev, store.ErrFuture},
	{rpctypes.ErrEmptyKey, store.ErrInvalid},
	{rpctypes.ErrDuplicateKey, store.ErrInvalid},
	{rpctypes.ErrTooManyOps, store.ErrTooLarge},
	{rpctypes.ErrRequestTooLarge, store.ErrTooLarge},
	{rpctypes.ErrLeaseNotFound, store.ErrNoLease},
	{rpctypes.ErrTooManyRequests, store.ErrUnavailable},
	{rpctypes.ErrNoLeader, store.ErrUnavailable},
	{rpctypes.ErrNotCapable, store.ErrUnavailable},
}

// mapError maps an error to the one of certain, or to other.
func mapError(err, other error) error {
	if err == nil {
		return nil
	}
	known := rpctypes.Error(err)
	for _, c := range certain {
		if errors.Is(known, c.etcd) {
			return fmt.Errorf("%w: %w", c.ours, known)
		}
	}
	return fmt.Errorf("%w: %w", other, err)
}

// writeError maps the error of a call that changes something.
func writeError(err error) error {
	return mapError(err, store.ErrUnknown)
}

// readError maps the error of a call that changes nothing, or is idempotent.
func readError(err error) error {
	return mapError(err, store.ErrUnavailable)
}
