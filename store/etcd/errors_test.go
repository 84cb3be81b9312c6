package etcd

import (
	"context"
	"errors"
	"io"
	"testing"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/weirnet/weir/store"
)

// TestErrorsOfWrites: only of errors that mean it is it said that nothing was done; of all others,
// that nobody knows.
func TestErrorsOfWrites(t *testing.T) {
	all := []error{store.ErrUnavailable, store.ErrUnknown, store.ErrFull, store.ErrInvalid, store.ErrTooLarge, store.ErrNoLease}
	for _, c := range []struct{ err, want error }{
		{context.DeadlineExceeded, store.ErrUnknown}, {context.Canceled, store.ErrUnknown},
		{io.ErrUnexpectedEOF, store.ErrUnknown},
		{rpctypes.ErrTimeout, store.ErrUnknown}, {rpctypes.ErrTimeoutDueToLeaderFail, store.ErrUnknown},
		{rpctypes.ErrTimeoutDueToConnectionLost, store.ErrUnknown}, {rpctypes.ErrStopped, store.ErrUnknown},
		{rpctypes.ErrLeaderChanged, store.ErrUnknown}, {rpctypes.ErrCorrupt, store.ErrUnknown},
		{errors.New("anything"), store.ErrUnknown},
		{rpctypes.ErrNoSpace, store.ErrFull}, {rpctypes.ErrTooManyRequests, store.ErrUnavailable},
		{rpctypes.ErrNoLeader, store.ErrUnavailable},
		{rpctypes.ErrRequestTooLarge, store.ErrTooLarge}, {rpctypes.ErrEmptyKey, store.ErrInvalid},
		{rpctypes.ErrLeaseNotFound, store.ErrNoLease},
	} {
		for _, is := range all {
			if err := writeError(c.err); errors.Is(err, is) != (is == c.want) || !errors.Is(err, c.err) {
				t.Errorf("%v is told as %v", c.err, err)
			}
		}
		if err := readError(c.err); errors.Is(err, store.ErrUnknown) {
			t.Errorf("%v of a reading call is told as %v", c.err, err)
		}
	}
	if writeError(nil) != nil || readError(nil) != nil {
		t.Error("no error is one")
	}
}

// late is a context that ends just after it was looked at.
type late struct {
	context.Context
	looked bool
}

func (l *late) Err() error {
	if !l.looked {
		l.looked = true
		return nil
	}
	return l.Context.Err()
}

// TestUnderWay: a change whose caller goes while it is under way has an unknown outcome, of
// whatever kind.
func TestUnderWay(t *testing.T) {
	s := start(t, Config{})
	lease, err := s.Grant(t.Context(), 5e9)
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for name, call := range map[string]func(ctx context.Context) error{
		"a transaction": func(ctx context.Context) error {
			_, err := s.Txn(ctx, store.Txn{Then: []store.Op{store.Put([]byte("k"), nil)}})
			return err
		},
		"a lease": func(ctx context.Context) error { _, err := s.Grant(ctx, 5e9); return err },
		"its end": func(ctx context.Context) error { return s.Revoke(ctx, lease) },
	} {
		if err := call(&late{Context: ended}); !errors.Is(err, store.ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
		if err := call(ended); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s, before: %v", name, err)
		}
	}
}
