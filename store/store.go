package store

import (
	"context"
	"io"
	"time"
)

// Revision numbers the states of a store: each transaction that changes something makes the next
// one. An empty store has revision 1 or more.
type Revision int64

// Version is how many times a key was put since it was last created; 1 after its creation.
type Version = int64

// LeaseID names a lease; 0 is none.
type LeaseID int64

// Pair is a key with its value. Key and Value belong to the receiver.
type Pair struct {
	Key, Value  []byte
	Create, Mod Revision // of its creation, and of its last change
	Version     Version
	Lease       LeaseID
}

// Store is a small durable map of keys to values (package comment). It is safe for concurrent use.
// Arguments are neither changed nor retained.
type Store interface {
	// Txn executes one transaction, and returns when it is durable.
	Txn(ctx context.Context, txn Txn) (Result, error)
	// Range reads pairs in the order of their keys.
	Range(ctx context.Context, q Query) (Page, error)
	// Watch reports the changes of keys in a span, from a revision on (0: those after now).
	Watch(ctx context.Context, span Span, from Revision) (Watcher, error)

	// Grant creates a lease. Keys put with it are deleted when it ends: after ttl (a second or
	// more) without KeepAlive, or by Revoke.
	Grant(ctx context.Context, ttl time.Duration) (LeaseID, error)
	// KeepAlive renews a lease.
	KeepAlive(ctx context.Context, id LeaseID) error
	// Revoke ends a lease and removes its keys.
	Revoke(ctx context.Context, id LeaseID) error

	// Compact discards the history before a revision: ranges at rev and watches from rev on still
	// work. It keeps what a Snapshot still reads. A revision that was compacted already is
	// ErrCompacted.
	Compact(ctx context.Context, rev Revision) error
	// Defragment releases the disk space that compaction has freed. It blocks writers.
	Defragment(ctx context.Context) error
	// Snapshot writes all pairs as they are at one revision, in the format of WriteSnapshot.
	Snapshot(ctx context.Context, w io.Writer) error
	// Status returns the state of the store.
	Status(ctx context.Context) (Status, error)
	// Close closes the store. Later calls return ErrUnavailable.
	Close() error
}

// Status is the state of a store.
type Status struct {
	Revision  Revision
	Compacted Revision // ranges before it are ErrCompacted
	Size      int64    // bytes of its file
	InUse     int64    // part of Size that a defragmentation would keep
	Quota     int64    // size at which it is full; 0: none
	Full      string   // why it accepts no changes; empty: it does
	Leader    bool     // there is a leader: required for changes
}

// Watcher is one watch, for use by one goroutine.
type Watcher interface {
	// Next waits for changes and returns those of one or more whole revisions, in order. An error
	// ends the watch, unless it is that of the context.
	Next(ctx context.Context) ([]Event, error)
	// Close ends the watch.
	Close()
}

// Event is a change of a key. For a deletion only Pair.Key and Pair.Mod are set.
type Event struct {
	Deleted bool
	Pair    Pair
}

// Span is a range of keys: From ≤ key < To. An empty To means the key From alone.
type Span struct{ From, To []byte }

// Key returns the span of one key.
func Key(key string) Span { return Span{From: []byte(key)} }

// Prefix returns the span of the keys with a prefix; the empty prefix is all keys.
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

// last is above all keys: they are shorter.
var last = endOfKeys()

// Contains reports whether a key is in the span.
func (s Span) Contains(key []byte) bool {
	if len(s.To) == 0 {
		return string(key) == string(s.From)
	}
	return string(key) >= string(s.From) && string(key) < string(s.To)
}

// Query is a range read.
type Query struct {
	Span     Span
	Limit    int      // 0: all
	Revision Revision // 0: now
	KeysOnly bool     // without values
	// Local allows a stale answer of one member: it may be older than earlier answers of this
	// store.
	Local bool
}

// Page is the result of a query. To continue, query From: After(last key) at Revision.
type Page struct {
	Pairs    []Pair
	More     bool
	Revision Revision // of the store when it was read
}

// After returns the first key after another.
func After(key []byte) []byte { return append(append(make([]byte, 0, len(key)+1), key...), 0) }
