package node

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/weirnet/weir/store"
)

// Of instances that share one store, one owns it: it alone decides, and controls switches. The row ownerKey says who; it has a lease, so that it
// goes when its instance has gone. The others stand by: docs/design/0010-one-owner.md.
const (
	ownerKey = "instances/owner"
	// leaseTime is how long after the death of an owner another takes over; leaseEvery is how often it says that it lives.
	leaseTime  = 5 * time.Second
	leaseEvery = time.Second
)

// errDeposed: another instance owns the store now.
var errDeposed = errors.New("another instance has taken the store")

// owner is who owns a store.
type owner struct {
	Name string `json:"name"`
	API  string `json:"api"`
	Life string `json:"life"` // random: two instances may have one name
}

func (o *owner) String() string { return fmt.Sprintf("instance %s (API %s)", o.Name, o.API) }

// ownership is one instance's claim to a store.
type ownership struct {
	st    store.Store
	self  owner
	row   []byte // of this instance
	lease store.LeaseID
}

func newOwnership(st store.Store, cfg *Config) *ownership {
	o := &ownership{st: st, self: owner{Name: cfg.Name, API: cfg.API, Life: rand.Text()}}
	o.row, _ = json.Marshal(&o.self) // strings only
	return o
}

// shared reports whether other instances may use the store too. The embedded one is this data directory's, which one process has.
func (c *Config) shared() bool {
	return c.SharedStore || c.OpenStore == nil && c.Store != StoreEmbedded && c.Store != StoreMemory
}

// read is the row of the owner; nil without one.
func (o *ownership) read(ctx context.Context) ([]byte, error) {
	page, err := o.st.Range(ctx, store.Query{Span: store.Key(ownerKey)})
	if err != nil || len(page.Pairs) == 0 {
		return nil, err
	}
	return page.Pairs[0].Value, nil
}

// take makes this instance the owner if nobody is. other is who is; nil if it is this one.
func (o *ownership) take(ctx context.Context) (other *owner, err error) {
	row, err := o.read(ctx)
	if err != nil || row != nil && bytes.Equal(row, o.row) {
		return nil, err
	}
	if row != nil {
		other = &owner{Name: "?"}
		_ = json.Unmarshal(row, other) // one that cannot be read is somebody's all the same
		return other, nil
	}
	lease, err := o.st.Grant(ctx, leaseTime)
	if err != nil {
		return nil, err
	}
	result, err := o.st.Txn(ctx, store.Txn{
		If:   []store.Compare{store.Absent([]byte(ownerKey))},
		Then: []store.Op{{Kind: store.OpPut, Key: []byte(ownerKey), Value: o.row, Lease: lease}},
	})
	switch {
	case err == nil && result.Held:
		o.lease = lease
		return nil, nil
	case err == nil:
		_ = o.st.Revoke(ctx, lease)
		return o.take(ctx)
	}
	return nil, err // if it was done, the next call finds the row
}

// renew says that the owner lives. The error is errDeposed where another is the owner, or the store's. A lease that ended while the store was away is
// taken anew if nobody else has taken the store meanwhile.
func (o *ownership) renew(ctx context.Context) error {
	alive := o.st.KeepAlive(ctx, o.lease)
	if alive != nil && !errors.Is(alive, store.ErrNoLease) {
		return alive
	}
	other, err := o.take(ctx)
	if err == nil && other != nil {
		err = fmt.Errorf("%w: %s", errDeposed, other)
	}
	return err
}
