package store

import (
	"context"
	"io"
	"time"
)

// Revision numbers the states of a store: each transaction that changes something makes the next one. An empty store has
// revision 1 or more.
type Revision int64

// Version is how many times a key was put since it was last created; 1 after its creation.
type Version = int64

// LeaseID names a lease; 0 is none.
type LeaseID int64

// Pair is a key with what is kept under it. Key and Value are the receiver's own.
type Pair struct {
	Key, Value  []byte
	Create, Mod Revision // of its creation, and of its last change
	Version     Version
	Lease       LeaseID
}

// Store is a small durable map of keys to values (package comment). It is safe for any number of goroutines. What is given to it is
// not changed, and not kept after the call.
type Store interface {
	// Txn does one transaction, and returns when it is durable.
	Txn(ctx context.Context, txn Txn) (Result, error)
	// Range reads pairs in the order of their keys.
	Range(ctx context.Context, q Query) (Page, error)
	// Watch tells the changes of keys in a span, from a revision on (0: those after now).
	Watch(ctx context.Context, span Span, from Revision) (Watcher, error)

	// Grant makes a lease. Keys put with it go when it ends: after ttl (a second or more) without KeepAlive, or by Revoke.
	Grant(ctx context.Context, ttl time.Duration) (LeaseID, error)
	// KeepAlive begins a lease's time anew.
	KeepAlive(ctx context.Context, id LeaseID) error
	// Revoke ends a lease and removes its keys.
	Revoke(ctx context.Context, id LeaseID) error

	// Compact discards what was before a revision: ranges at rev and watches from rev on still work. It spares what a Snapshot
	// still reads. A revision that was compacted already is ErrCompacted.
	Compact(ctx context.Context, rev Revision) error
	// Defragment gives back to the disk what compaction has freed. Writers wait for it.
	Defragment(ctx context.Context) error
	// Snapshot writes all pairs as they are at one revision, in the format of WriteSnapshot.
	Snapshot(ctx context.Context, w io.Writer) error
	// Status is how the store is.
	Status(ctx context.Context) (Status, error)
	// Close ends it. What is called afterwards is ErrUnavailable.
	Close() error
}

// Status is how a store is.
type Status struct {
	Revision  Revision
	Compacted Revision // ranges before it are ErrCompacted
	Size      int64    // bytes of its file
	InUse     int64    // of Size: what a defragmentation would keep
	Quota     int64    // at which it is full; 0: none
	Full      string   // why it takes no changes; empty: it does
	Leader    bool     // there is one: without, nothing can be done
}

// Watcher is one watch. One goroutine uses it.
type Watcher interface {
	// Next waits for changes and returns those of one or more whole revisions, in order. An error ends the watch, unless it is
	// that of the context.
	Next(ctx context.Context) ([]Event, error)
	// Close ends it.
	Close()
}

// Event is a change of a key. Of a deletion only Pair.Key and Pair.Mod are set.
type Event struct {
	Deleted bool
	Pair    Pair
}

// Span is a part of the keys: From ≤ key < To. An empty To is the key From alone.
type Span struct{ From, To []byte }

// Key is the span of one key.
func Key(key string) Span { return Span{From: []byte(key)} }

// Prefix is the span of the keys that begin with a prefix; the empty prefix is all keys.
func Prefix(prefix string) Span {
	from := []byte(prefix)
	if prefix == "" {
		return Span{[]byte{0}, last}
	}
	to := []byte(prefix)
	for i := len(to) - 1; i >= 0; i-- {
		if to[i] < 0xff {
			to[i]++
			return Span{from, to[:i+1]}
		}
	}
	return Span{from, last}
}

// last is the end of all keys, which no key reaches: keys have fewer bytes.
var last = endOfKeys()

// Holds says whether a key is in the span.
func (s Span) Holds(key []byte) bool {
	if len(s.To) == 0 {
		return string(key) == string(s.From)
	}
	return string(key) >= string(s.From) && string(key) < string(s.To)
}

// Query says what to read.
type Query struct {
	Span     Span
	Limit    int      // 0: all
	Revision Revision // 0: now
	KeysOnly bool     // without values
	// Local allows the answer of a member that may be behind: no older than what this store has returned before is promised.
	Local bool
}

// Page is what a query found. To go on, ask for From: After(last key) at Revision.
type Page struct {
	Pairs    []Pair
	More     bool
	Revision Revision // of the store when it was read
}

// After is the first key behind another.
func After(key []byte) []byte { return append(append(make([]byte, 0, len(key)+1), key...), 0) }
