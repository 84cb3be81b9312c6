package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/weirnet/weir/store"
)

// writerRow identifies the writer, and its position: the value of Prefix+"writer". Every
// transaction of the journal changes it, on the condition that it is unchanged: so none of them is
// executed twice, or late, or by a replaced writer.
type writerRow struct {
	term    uint64 // of the writer: one more than the previous writer's
	commits uint64 // transactions of all writers
	seq     uint64 // of the newest block that ever was
	mod     store.Revision
}

const rowLen = 24

func (r *writerRow) append() []byte {
	b := make([]byte, 0, rowLen)
	b = binary.BigEndian.AppendUint64(b, r.term)
	b = binary.BigEndian.AppendUint64(b, r.commits)
	return binary.BigEndian.AppendUint64(b, r.seq)
}

// place is where a journal is in a store: the keys with its prefix.
type place struct {
	st     store.Store
	prefix string
	only   []store.Compare // Config.Only
}

func (p *place) writerKey() []byte { return []byte(p.prefix + "writer") }

func (p *place) blockKey(seq uint64) []byte { return fmt.Appendf(nil, "%sb%016x", p.prefix, seq) }

// readRow reads the row; the zero row if there is none.
func (p *place) readRow(ctx context.Context) (writerRow, error) {
	page, err := p.st.Range(ctx, store.Query{Span: store.Span{From: p.writerKey()}})
	if err != nil || len(page.Pairs) == 0 {
		return writerRow{}, err
	}
	return parseRow(&page.Pairs[0])
}

// parseRow reads the row of a pair.
func parseRow(row *store.Pair) (writerRow, error) {
	if len(row.Value) != rowLen {
		return writerRow{}, fmt.Errorf("%w: %q holds %d bytes, want %d", ErrDamaged, row.Key, len(row.Value), rowLen)
	}
	return writerRow{
		term: binary.BigEndian.Uint64(row.Value), commits: binary.BigEndian.Uint64(row.Value[8:]),
		seq: binary.BigEndian.Uint64(row.Value[16:]), mod: row.Mod,
	}, nil
}

// takeOver makes its caller the writer, and returns its row. Transactions of the previous writer in flight are
// executed before it, or never. With done false the store is full: reading works, and the first successful
// transaction takes over. The error is ErrDeposed, wrapped, where a condition of it does not hold.
func (p *place) takeOver(ctx context.Context) (row writerRow, done bool, err error) {
	for {
		old, err := p.readRow(ctx)
		if err != nil {
			return writerRow{}, false, err
		}
		next := writerRow{term: old.term + 1, commits: old.commits + 1, seq: old.seq}
		result, err := p.st.Txn(ctx, store.Txn{
			If:   p.conditions(old.mod),
			Then: []store.Op{store.Put(p.writerKey(), next.append())},
		})
		if err == nil && result.Succeeded {
			next.mod = result.Revision
			return next, true, nil
		}
		if err == nil || errors.Is(err, store.ErrFull) {
			if err := p.mayTakeOver(ctx); err != nil {
				return writerRow{}, false, err
			}
		}
		if errors.Is(err, store.ErrFull) {
			next.mod, next.commits = old.mod, old.commits
			return next, false, nil
		}
		// After an unknown outcome the row may be this writer's already: it takes over from itself.
		if err != nil && !errors.Is(err, store.ErrUnknown) {
			return writerRow{}, false, err
		}
		if ctx.Err() != nil {
			return writerRow{}, false, ctx.Err()
		}
	}
}

// conditions are those of taking over from a writer whose row was changed last at a revision.
func (p *place) conditions(mod store.Revision) []store.Compare {
	return append([]store.Compare{store.Unchanged(p.writerKey(), mod)}, p.only...)
}

// mayTakeOver returns ErrDeposed, wrapped, where a condition of taking over does not hold.
func (p *place) mayTakeOver(ctx context.Context) error {
	if len(p.only) == 0 {
		return nil
	}
	read := store.Op{Kind: store.OpRange, Query: store.Query{Span: store.Key(string(p.writerKey()))}}
	result, err := p.st.Txn(ctx, store.Txn{If: p.only, Then: []store.Op{read}})
	if err == nil && !result.Succeeded {
		err = fmt.Errorf("%w: this one may not have it any more", ErrDeposed)
	}
	return err
}

// isBlock reports whether a block with that content was written at a revision.
func (p *place) isBlock(ctx context.Context, seq uint64, mod store.Revision, content []byte) (bool, error) {
	page, err := p.st.Range(ctx, store.Query{Span: store.Span{From: p.blockKey(seq)}})
	if err != nil || len(page.Pairs) != 1 {
		return false, err
	}
	found := &page.Pairs[0]
	return found.Mod == mod && bytes.Equal(found.Value, content), nil
}
