package owner

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/store"
)

// The rows. Those with a lease go when their instance has gone.
const (
	instancesPrefix = "instances/"
	ownerKey        = instancesPrefix + "owner"
	// the row of who took the store last; it stays, so that whose row went knows whether it may go
	// on
	lastKey       = instancesPrefix + "last"
	termKey       = instancesPrefix + "term"     // stays: see Terms
	olderKey      = instancesPrefix + "older"    // stays: see Older
	standbyPrefix = instancesPrefix + "standby/" // then the instance's life
	// leaseTime is how long after the death of an owner another takes over; leaseEvery is how often
	// it says that it lives.
	leaseTime  = 5 * time.Second
	leaseEvery = time.Second
)

// ErrDeposed says that another instance owns the store now.
var ErrDeposed = errors.New("another instance has taken the store")

// ErrUnconfirmed says that the store has not confirmed for so long that this instance owns it that another may.
var ErrUnconfirmed = errors.New("the store does not confirm that this instance owns it, and another one stands by")

// deposed is ErrDeposed with who owns the store, or had it last.
type deposed struct{ by Instance }

func (d *deposed) Error() string { return ErrDeposed.Error() + ": " + d.by.String() }
func (d *deposed) Unwrap() error { return ErrDeposed }

// Instance is one that owns a store, or stands by.
type Instance struct {
	Name        string `json:"name"`
	API         string `json:"api"`
	Incarnation string `json:"life"` // random: two instances may have one name. Empty: New draws it
	// Member is that of the store in the instance's data directory, which one process has at a time: another row of it is
	// of a life that has ended. Empty: the store is elsewhere.
	Member string `json:"member,omitempty"`
	// Parted is whether its program keeps its own configuration apart from the network's; earlier ones do not.
	Parted bool `json:"parted"`
	// Life is the number of this life in heartbeats (cluster/liveness); 0: it sends none.
	Life uint64 `json:"number,omitempty"`
}

// String names the instance in messages.
func (o *Instance) String() string { return fmt.Sprintf("instance %s (API %s)", o.Name, o.API) }

// Claim is one instance's.
type Claim struct {
	st       store.Store
	self     Instance
	row      []byte        // of this instance
	lease    store.LeaseID // 0: none. The row of this instance has it, as owner or as standby
	owned    bool          // it has been the owner: what it knows is of then
	gate     *gate
	terms    *Terms
	former   []store.Op                 // delete the rows of processes before, which stood by and whose leases last
	standbys atomic.Pointer[[]Instance] // the others, as they were seen last, by name
	dead     atomic.Pointer[string]     // the incarnation of an owner that is taken for dead; empty: none
	by       atomic.Pointer[Instance]   // the owner, as it was seen last; the zero value: nobody was
	news     chan struct{}              // of dead, or of the owner's row
	leaves   leaving
}

// New makes the claim of an instance. Nothing is written yet.
func New(st store.Store, self Instance) *Claim { return NewAt(st, self, time.Now) }

// NewAt is New with a clock.
func NewAt(st store.Store, self Instance, now func() time.Time) *Claim {
	self.Incarnation, self.Parted = cmp.Or(self.Incarnation, rand.Text()), true
	o := &Claim{st: st, self: self, gate: newGate(now), news: make(chan struct{}, 1)}
	o.row, _ = json.Marshal(&o.self) // strings only
	o.terms = &Terms{st: st, owner: o.row}
	o.standbys.Store(new([]Instance))
	o.dead.Store(new(string))
	o.by.Store(new(Instance))
	return o
}

// Dead has an owner be replaced at once, though its row is there: nobody hears it any more. That costs an owner that lives its
// place, and what it still writes is refused by switches that know roles, from the next term on. incarnation is that of the
// life that is over; empty: nobody is dead. It reports whether that is news.
func (o *Claim) Dead(incarnation string) bool {
	if *o.dead.Swap(&incarnation) == incarnation {
		return false
	}
	o.ring()
	return true
}

// LeaveTo has a place that is free be left to others, for as long as the lease has, while a function says that one of them is
// better.
func (o *Claim) LeaveTo(others func() bool) { o.leaves.others.Store(&others) }

// errLeft says that this instance leaves a place that is free to others.
var errLeft = errors.New("nobody owns the store: this instance leaves it to another one, whose disk is well")

// leaving is how a place that is free is left to others.
type leaving struct {
	others atomic.Pointer[func() bool]
	since  time.Time // zero: none is left
}

// now reports whether to leave a place that is free.
func (l *leaving) now(now time.Time) bool {
	better := l.others.Load()
	if better == nil || !(*better)() {
		return false
	}
	if l.since.IsZero() {
		l.since = now
	}
	return now.Sub(l.since) < leaseTime
}

// Self is this instance.
func (o *Claim) Self() Instance { return o.self }

// Owner is the owner of the store, as it was seen last; the zero value: nobody was.
func (o *Claim) Owner() Instance { return *o.by.Load() }

// Owns reports whether this instance owned the store when that was looked at last.
func (o *Claim) Owns() bool { return o.by.Load().Incarnation == o.self.Incarnation }

// ring has who waits look at once.
func (o *Claim) ring() {
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// News has something when this instance is to look at once who owns the store (Try): for callers that drive it themselves.
func (o *Claim) News() <-chan struct{} { return o.news }

// Terms are those of this instance, once it owns the store.
func (o *Claim) Terms() *Terms { return o.terms }

// formerMax bounds Claim.former, so that a transaction holds them.
const formerMax = 32

// rows are what the store says of instances.
type rows struct {
	owner *store.Pair // nil: nobody is
	last  *store.Pair // who took the store last; nil: nobody ever did
	term  *store.Pair // nil: there was none yet
}

// read reads the rows. It notes who stands by.
func (o *Claim) read(ctx context.Context) (r rows, err error) {
	page, err := o.st.Range(ctx, store.Query{Span: store.Prefix(instancesPrefix)})
	if err != nil {
		return r, err
	}
	var standbys []Instance
	o.former = nil
	for i := range page.Pairs {
		switch p := &page.Pairs[i]; {
		case string(p.Key) == ownerKey:
			r.owner = p
		case string(p.Key) == lastKey:
			r.last = p
		case string(p.Key) == termKey:
			r.term = p
		case strings.HasPrefix(string(p.Key), standbyPrefix):
			switch other := ownerOf(p.Value); {
			case !o.isSelf(&other):
				standbys = append(standbys, other)
			case other.Incarnation != o.self.Incarnation && len(o.former) < formerMax:
				o.former = append(o.former, store.Delete(store.Key(string(p.Key))))
			}
		}
	}
	slices.SortStableFunc(standbys, func(a, b Instance) int { return strings.Compare(a.Name, b.Name) })
	o.standbys.Store(&standbys)
	return r, nil
}

// ownerOf reads a row. One that cannot be read is somebody's all the same.
func ownerOf(row []byte) Instance {
	o := Instance{Name: "?"}
	_ = json.Unmarshal(row, &o)
	return o
}

// isSelf reports whether a row is of this instance, in this life or one that has ended.
func (o *Claim) isSelf(other *Instance) bool {
	return other.Incarnation == o.self.Incarnation || o.self.Member != "" && other.Member == o.self.Member
}

// Standbys are the other instances that stand by, as they were seen last, by name.
func (o *Claim) Standbys() []Instance { return *o.standbys.Load() }

// granted has a lease.
func (o *Claim) granted(ctx context.Context) error {
	if o.lease != 0 {
		err := o.st.KeepAlive(ctx, o.lease)
		if !errors.Is(err, store.ErrNoLease) {
			return err
		}
		o.lease = 0
	}
	lease, err := o.st.Grant(ctx, leaseTime)
	if err == nil {
		o.lease = lease
	}
	return err
}

// take makes this instance the owner, in the next term, if nobody is. other is who is; nil if it is this one. Who
// was the owner and is no longer takes it again only if nobody else had it meanwhile: else other is who had it last,
// though he has gone.
func (o *Claim) take(ctx context.Context) (other *Instance, err error) {
	for {
		r, err := o.read(ctx)
		if err != nil {
			return nil, err
		}
		last, before := r.last, termOf(r.term)
		if r.owner != nil && bytes.Equal(r.owner.Value, o.row) {
			o.owned = true
			o.terms.rise(before)
			o.by.Store(&o.self)
			return nil, nil
		}
		if r.owner != nil {
			other := ownerOf(r.owner.Value)
			dead := *o.dead.Load()
			// who was the owner before never takes its place back from another
			replace := dead != "" && dead == other.Incarnation && !o.owned
			if !o.isSelf(&other) && !replace {
				if !o.owned { // the term of who was the owner stays its own, lower one: it may ask switches yet
					o.terms.rise(before)
				}
				o.by.Store(&other)
				o.leaves.since = time.Time{}
				return &other, nil
			}
		}
		if o.owned && last != nil && !bytes.Equal(last.Value, o.row) {
			other := ownerOf(last.Value)
			o.by.Store(new(Instance))
			return &other, nil
		}
		if r.owner == nil && !o.owned && o.leaves.now(o.gate.now()) {
			return nil, errLeft
		}
		if err := o.granted(ctx); err != nil {
			return nil, err
		}
		then := []store.Op{
			{Kind: store.OpPut, Key: []byte(ownerKey), Value: o.row, Lease: o.lease}, store.Put([]byte(lastKey), o.row),
			store.Put([]byte(termKey), termText(before+1)), store.Delete(store.Key(o.standbyKey())),
		}
		then = append(then, o.former...)
		switch {
		case last == nil && o.self.Member != "": // before that the store was of its directory, which had no rows
			then = append(then, store.Put([]byte(olderKey), []byte(o.self.Name)))
		case last != nil && !ownerOf(last.Value).Parted:
			then = append(then, store.Put([]byte(olderKey), []byte(ownerOf(last.Value).Name)))
		}
		result, err := o.st.Txn(ctx, store.Txn{
			If:   []store.Compare{as(ownerKey, r.owner), as(lastKey, last), as(termKey, r.term)},
			Then: then,
		})
		if err == nil && result.Succeeded {
			o.owned = true
			o.terms.rise(before + 1)
			o.by.Store(&o.self)
		}
		if err != nil || result.Succeeded {
			return nil, err // if it was done all the same, the next call finds the row
		}
	}
}

// Older is the name of the instance that owned the store last of those whose programs kept their own configuration in one text
// with the network's; empty: none did.
func Older(ctx context.Context, st store.Store) (string, error) {
	page, err := st.Range(ctx, store.Query{Span: store.Prefix(instancesPrefix)})
	name := ""
	for _, p := range page.Pairs { // last comes before older
		switch last := ownerOf(p.Value); {
		case string(p.Key) == lastKey && !last.Parted:
			return last.Name, nil
		case string(p.Key) == olderKey:
			name = string(p.Value)
		}
	}
	return name, err
}

// as returns the condition that a row is as it was read; nil: absent.
func as(key string, read *store.Pair) store.Compare {
	if read == nil {
		return store.Absent([]byte(key))
	}
	return store.Unchanged([]byte(key), read.Mod)
}

func (o *Claim) standbyKey() string { return standbyPrefix + o.self.Incarnation }

// standBy writes this instance's row as a standby.
func (o *Claim) standBy(ctx context.Context) error {
	if err := o.granted(ctx); err != nil {
		return err
	}
	key := []byte(o.standbyKey())
	_, err := o.st.Txn(ctx, store.Txn{
		If:   []store.Compare{store.Absent(key)},
		Then: append(slices.Clone(o.former), store.Op{Kind: store.OpPut, Key: key, Value: o.row, Lease: o.lease}),
	})
	return err
}

// Try makes this instance the owner if nobody is, or if who is is dead; else it stands by, and other is who owns the store.
// An error is the store's, or the context's.
func (o *Claim) Try(ctx context.Context) (other *Instance, err error) {
	began := o.gate.now()
	call, cancel := context.WithTimeout(ctx, leaseEvery)
	defer cancel()
	if other, err = o.take(call); err == nil && other != nil {
		err = o.standBy(call)
	} else if errors.Is(err, errLeft) {
		err = errors.Join(err, o.standBy(call))
	}
	if ctx.Err() == nil {
		o.gate.refresh(began) // what a standby writes to switches harms nobody
	}
	return other, err
}

// renew renews the ownership. The error is ErrDeposed where another is the owner, or was, or
// the store's. A lease that ended while the store was away is taken anew if nobody else has taken
// the store meanwhile: what another was asked for, and answered, this one does not know.
func (o *Claim) renew(ctx context.Context) error {
	if alive := o.st.KeepAlive(ctx, o.lease); errors.Is(alive, store.ErrNoLease) {
		o.lease = 0
	} else if alive != nil {
		return alive
	}
	other, err := o.take(ctx)
	if err == nil && other != nil {
		err = &deposed{*other}
	}
	return err
}
