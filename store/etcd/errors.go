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

// certainError maps an error after which nothing was done for certain; nil if it is another one.
func certainError(err error) error {
	err = rpctypes.Error(err)
	for _, c := range certain {
		if errors.Is(err, c.etcd) {
			return fmt.Errorf("%w: %w", c.ours, err)
		}
	}
	return nil
}

// writeError maps the error of a call that changes something.
func writeError(err error) error {
	if err == nil {
		return nil
	}
	if k := certainError(err); k != nil {
		return k
	}
	return fmt.Errorf("%w: %w", store.ErrUnknown, err)
}

// readError maps the error of a call that changes nothing, or is idempotent.
func readError(err error) error {
	if err == nil {
		return nil
	}
	if k := certainError(err); k != nil {
		return k
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}
