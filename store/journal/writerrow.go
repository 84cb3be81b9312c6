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

func (j *Journal) writerKey() []byte { return []byte(j.cfg.Prefix + "writer") }

func (j *Journal) blockKey(seq uint64) []byte { return fmt.Appendf(nil, "%sb%016x", j.cfg.Prefix, seq) }

// readRow reads the row; the zero row if there is none.
func (j *Journal) readRow(ctx context.Context) (writerRow, error) {
	page, err := j.st.Range(ctx, store.Query{Span: store.Span{From: j.writerKey()}})
	if err != nil || len(page.Pairs) == 0 {
		return writerRow{}, err
	}
	p := &page.Pairs[0]
	if len(p.Value) != rowLen {
		return writerRow{}, fmt.Errorf("%w: %q holds %d bytes, want %d", ErrDamaged, p.Key, len(p.Value), rowLen)
	}
	return writerRow{
		term: binary.BigEndian.Uint64(p.Value), commits: binary.BigEndian.Uint64(p.Value[8:]),
		seq: binary.BigEndian.Uint64(p.Value[16:]), mod: p.Mod,
	}, nil
}

// takeOver makes this the writer. Transactions of the previous writer in flight are executed before
// it, or never.
func (j *Journal) takeOver(ctx context.Context) error {
	for {
		old, err := j.readRow(ctx)
		if err != nil {
			return err
		}
		next := writerRow{term: old.term + 1, commits: old.commits + 1, seq: old.seq}
		result, err := j.st.Txn(ctx, store.Txn{
			If:   []store.Compare{store.Unchanged(j.writerKey(), old.mod)},
			Then: []store.Op{store.Put(j.writerKey(), next.append())},
		})
		if err == nil && result.Succeeded {
			next.mod = result.Revision
			j.row = next
			return nil
		}
		if errors.Is(err, store.ErrFull) { // reading works: the first successful transaction takes over
			next.mod, next.commits = old.mod, old.commits
			j.row, j.notTakenOver = next, true
			return nil
		}
		// After an unknown outcome the row may be this writer's already: it takes over from itself.
		if err != nil && !errors.Is(err, store.ErrUnknown) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// isOwnRow reports whether a row was written by the transaction in flight.
func (j *Journal) isOwnRow(ctx context.Context, now writerRow) (bool, error) {
	f := j.inflight
	switch {
	case now.term != f.row.term || now.commits != f.row.commits:
		return false, nil
	case !j.notTakenOver:
		return true, nil
	case f.block == nil:
		return false, nil
	}
	// Another writer, or this one's own takeover, may have written the same row: only the block
	// tells.
	page, err := j.st.Range(ctx, store.Query{Span: store.Span{From: j.blockKey(f.row.seq)}})
	if err != nil || len(page.Pairs) != 1 {
		return false, err
	}
	p := &page.Pairs[0]
	return p.Mod == now.mod && bytes.Equal(p.Value, f.block), nil
}
