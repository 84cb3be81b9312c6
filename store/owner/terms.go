package owner

import (
	"context"
	"strconv"
	"sync/atomic"

	"github.com/weirnet/weir/store"
)

// Terms number the owners of a store: each has a higher one than all before it. Switches are told the term with each request
// for the role of master (as its generation_id, OpenFlow 1.3, 6.3.5), and refuse a master of an earlier one. A term is in
// the store before anybody is told of it. Any goroutine may use it.
type Terms struct {
	st    store.Store
	owner []byte // the row without which no term is raised; nil: the store is of this process alone
	now   atomic.Uint64
}

// Alone begins the next term of a store that no other instance can have. An error is the store's; the terms go on with the one
// before then, which a switch takes too: there is nobody whom it has to refuse.
func Alone(ctx context.Context, st store.Store) (*Terms, error) {
	t := &Terms{st: st}
	_, err := t.raise(ctx, func(before uint64) uint64 { return before + 1 })
	return t, err
}

// Term is the one in which this instance owns the store.
func (t *Terms) Term() uint64 { return t.now.Load() }

// Only are the conditions of what is to be done only while this instance owns the store.
func (t *Terms) Only() []store.Compare {
	if t.owner == nil {
		return nil
	}
	return []store.Compare{{Key: []byte(ownerKey), Field: store.Value, Value: t.owner}}
}

// Raise makes the term a higher one than a generation that a switch knows, and returns it. The error is ErrDeposed if this
// instance does not own the store any more, or the store's.
func (t *Terms) Raise(ctx context.Context, generation uint64) (uint64, error) {
	return t.raise(ctx, func(uint64) uint64 { return generation + 1 })
}

// Confirm asks the store whether this instance owns it still. The error is ErrDeposed if it does not, or the store's.
func (t *Terms) Confirm(ctx context.Context) error {
	if t.owner == nil {
		return nil
	}
	owner, err := t.st.Range(ctx, store.Query{Span: store.Key(ownerKey)})
	if err == nil && (len(owner.Pairs) == 0 || string(owner.Pairs[0].Value) != string(t.owner)) {
		err = ErrDeposed
	}
	return err
}

// read reads the row of the term; nil: there is none yet. It is this instance's term: the error is ErrDeposed if another owns the
// store, whose term this one must never ask for.
func (t *Terms) read(ctx context.Context) (row *store.Pair, err error) {
	page, err := t.st.Range(ctx, store.Query{Span: store.Prefix(instancesPrefix)})
	if err != nil {
		return nil, err
	}
	owns := t.owner == nil
	for i := range page.Pairs {
		switch p := &page.Pairs[i]; string(p.Key) {
		case termKey:
			row = p
		case ownerKey:
			owns = owns || string(p.Value) == string(t.owner)
		}
	}
	if !owns {
		return nil, ErrDeposed
	}
	return row, nil
}

// raise writes the term that next makes of the one before, if it is a later one.
func (t *Terms) raise(ctx context.Context, next func(before uint64) uint64) (uint64, error) {
	for {
		row, err := t.read(ctx)
		if err != nil {
			return 0, err
		}
		before := termOf(row)
		t.rise(before)
		term := next(before)
		if int64(term-before) <= 0 {
			return before, nil
		}
		conditions := append(t.Only(), as(termKey, row))
		result, err := t.st.Txn(ctx, store.Txn{If: conditions, Then: []store.Op{store.Put([]byte(termKey), termText(term))}})
		if err != nil {
			return 0, err
		}
		if result.Succeeded {
			t.rise(term)
			return term, nil
		}
	}
}

// rise makes a term that is in the store the one of this instance, unless it knows a later one.
func (t *Terms) rise(term uint64) {
	for {
		now := t.now.Load()
		if int64(term-now) <= 0 || t.now.CompareAndSwap(now, term) {
			return
		}
	}
}

// termText is the row of a term.
func termText(term uint64) []byte { return strconv.AppendUint(nil, term, 10) }

// termOf reads the row of the term. Without one it is 0; so it is where it cannot be read, as switches say by their refusal
// what it has to be above (Raise).
func termOf(row *store.Pair) uint64 {
	if row == nil {
		return 0
	}
	term, _ := strconv.ParseUint(string(row.Value), 10, 64)
	return term
}

// restoredLeap is how much later the term of a restored store is: later than any that the store could have come to after its
// backup, so that switches, which remember, refuse whoever goes on with the store before.
const restoredLeap = 1 << 32

// Restored raises the term of a store that was filled from a backup above any after the backup. Nobody owns it: rows with a
// lease are in no backup.
func Restored(ctx context.Context, st store.Store) error {
	page, err := st.Range(ctx, store.Query{Span: store.Key(termKey)})
	if err != nil {
		return err
	}
	var row *store.Pair
	if len(page.Pairs) > 0 {
		row = &page.Pairs[0]
	}
	_, err = st.Txn(ctx, store.Txn{
		If:   []store.Compare{as(termKey, row)},
		Then: []store.Op{store.Put([]byte(termKey), termText(termOf(row)+restoredLeap))},
	})
	return err
}
