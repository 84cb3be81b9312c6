package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
)

// A document is a value of any length under a key. Up to partBytes it is stored there, after a 0
// byte. A longer one is stored in parts, under keys of their own, which are written first: its key
// then holds a 1 byte, the name of the parts and their number.
const partBytes = 1 << 20

// ErrDocument: a document is damaged.
var ErrDocument = errors.New("a document of the store is damaged")

// parts returns the prefix of the keys of a document's parts.
func parts(key string, name uint64) string { return fmt.Sprintf("%s/%016x/", key, name) }

func partKey(key string, name uint64, n int) []byte {
	return fmt.Appendf(nil, "%s%06d", parts(key, name), n)
}

// LoadDocument reads a document and the revision at which it was saved; nil and 0 if there is none.
func LoadDocument(ctx context.Context, st Store, key string) ([]byte, Revision, error) {
	page, err := st.Range(ctx, Query{Span: Key(key)})
	if err != nil || len(page.Pairs) == 0 {
		return nil, 0, err
	}
	head, mod := page.Pairs[0].Value, page.Pairs[0].Mod
	switch {
	case len(head) > 0 && head[0] == 0:
		return append([]byte{}, head[1:]...), mod, nil
	case len(head) != 13 || head[0] != 1:
		return nil, mod, fmt.Errorf("%w: %s", ErrDocument, key)
	}
	name, n := binary.BigEndian.Uint64(head[1:]), int(binary.BigEndian.Uint32(head[9:]))
	out := []byte{}
	for i := range n {
		part, err := st.Range(ctx, Query{Span: Span{From: partKey(key, name, i)}, Revision: page.Revision})
		if err != nil {
			return nil, 0, err
		}
		if len(part.Pairs) != 1 {
			return nil, mod, fmt.Errorf("%w: %s has no part %d of %d", ErrDocument, key, i, n)
		}
		out = append(out, part.Pairs[0].Value...)
	}
	return out, mod, nil
}

// SaveDocument replaces a document that was saved at a revision (0: there is none), atomically, and
// returns its new revision. The error is ErrChanged if another writer has saved it since. After
// ErrUnknown the same call can be repeated to find out.
func SaveDocument(ctx context.Context, st Store, key string, after Revision, value []byte) (Revision, error) {
	page, err := st.Range(ctx, Query{Span: Prefix(""), Limit: 1, KeysOnly: true})
	if err != nil {
		return 0, err
	}
	head := append([]byte{0}, value...)
	name := uint64(page.Revision)
	if len(value) > partBytes {
		n := 0
		for rest := value; len(rest) > 0; n++ {
			part := rest[:min(partBytes, len(rest))]
			rest = rest[len(part):]
			if err := putNew(ctx, st, partKey(key, name, n), part); err != nil {
				return 0, err
			}
		}
		head = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64([]byte{1}, name), uint32(n))
	}
	saved, err := compareAndSwap(ctx, st, []byte(key), after, head)
	if errors.Is(err, ErrChanged) { // an earlier try may have succeeded, with parts of another name
		was, mod, loaded := LoadDocument(ctx, st, key)
		if loaded == nil && mod > 0 && bytes.Equal(was, value) {
			return mod, nil
		}
	}
	if err != nil {
		return 0, err
	}
	// Delete the parts of older versions; if that fails, the next save does it.
	stale := Prefix(key + "/")
	if head[0] == 1 {
		stale.To = []byte(parts(key, name))
	}
	if left, err := st.Range(ctx, Query{Span: stale, Limit: 1, KeysOnly: true}); err == nil && len(left.Pairs) > 0 {
		_, _ = st.Txn(ctx, Txn{Then: []Op{Delete(stale)}})
	}
	return saved, nil
}

// putNew writes a value under a key that does not exist.
func putNew(ctx context.Context, st Store, key, value []byte) error {
	for {
		_, err := st.Txn(ctx, Txn{Then: []Op{Put(key, value)}})
		if !errors.Is(err, ErrUnknown) || ctx.Err() != nil {
			return err
		}
	}
}

// ErrChanged: another writer has changed the key meanwhile.
var ErrChanged = errors.New("another writer has changed it")

// compareAndSwap replaces the value of a key that was last changed at a revision, and returns the
// new revision. After an unknown outcome it reads back; an error after that, of whatever kind, is ErrUnknown.
func compareAndSwap(ctx context.Context, st Store, key []byte, mod Revision, value []byte) (Revision, error) {
	for unknown := false; ; {
		r, err := st.Txn(ctx, Txn{
			If: []Compare{Unchanged(key, mod)}, Then: []Op{Put(key, value)}, Else: []Op{Get(Span{From: key})},
		})
		switch {
		case errors.Is(err, ErrUnknown) && ctx.Err() == nil:
			unknown = true
			continue // if it was done, the next try finds the value
		case err != nil && unknown:
			return 0, fmt.Errorf("%w: %v", ErrUnknown, err)
		case err != nil:
			return 0, err
		case r.Succeeded:
			return r.Revision, nil
		case len(r.Results[0].Pairs) == 1 && bytes.Equal(r.Results[0].Pairs[0].Value, value):
			return r.Results[0].Pairs[0].Mod, nil
		}
		return 0, fmt.Errorf("%w: %s", ErrChanged, key)
	}
}

// Once returns the value of a key; if it does not exist, it is created with the value of made.
func Once(ctx context.Context, st Store, key string, made func() ([]byte, error)) ([]byte, error) {
	page, err := st.Range(ctx, Query{Span: Key(key)})
	if err != nil {
		return nil, err
	}
	if len(page.Pairs) > 0 {
		return page.Pairs[0].Value, nil
	}
	value, err := made()
	if err != nil {
		return nil, err
	}
	if _, err := compareAndSwap(ctx, st, []byte(key), 0, value); errors.Is(err, ErrChanged) {
		return Once(ctx, st, key, made)
	} else if err != nil {
		return nil, err
	}
	return value, nil
}
