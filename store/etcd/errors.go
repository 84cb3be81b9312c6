package etcd

import (
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/weirnet/weir/store"
)

// certain are the errors of which it is certain that nothing was done.
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

// known is an error of which it is certain that nothing was done; nil if this is none.
func known(err error) error {
	err = rpctypes.Error(err)
	for _, c := range certain {
		if errors.Is(err, c.etcd) {
			return fmt.Errorf("%w: %w", c.ours, err)
		}
	}
	return nil
}

// wrote is the error of a call that changes something.
func wrote(err error) error {
	if err == nil {
		return nil
	}
	if k := known(err); k != nil {
		return k
	}
	return fmt.Errorf("%w: %w", store.ErrUnknown, err)
}

// read is the error of a call that changes nothing, or may be done twice.
func read(err error) error {
	if err == nil {
		return nil
	}
	if k := known(err); k != nil {
		return k
	}
	return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
}
