package journal

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/weirnet/weir/store"
)

// row is who writes, and how far: the value of Prefix+"writer". Every transaction of the journal changes it and has as its
// condition that nobody else has: so none of them is done twice, or late, or by a writer that was replaced.
type row struct {
	term    uint64 // of the writer: one more than that of the writer before
	commits uint64 // transactions of all writers
	seq     uint64 // of the newest block that ever was
	mod     store.Revision
}

const rowLen = 24

func (r *row) append() []byte {
	b := make([]byte, 0, rowLen)
	b = binary.BigEndian.AppendUint64(b, r.term)
	b = binary.BigEndian.AppendUint64(b, r.commits)
	return binary.BigEndian.AppendUint64(b, r.seq)
}

func (j *Journal) writerKey() []byte { return []byte(j.cfg.Prefix + "writer") }

func (j *Journal) blockKey(seq uint64) []byte { return fmt.Appendf(nil, "%sb%016x", j.cfg.Prefix, seq) }

// readRow reads who writes; the zero row if nobody ever did.
func (j *Journal) readRow(ctx context.Context) (row, error) {
	page, err := j.st.Range(ctx, store.Query{Span: store.Span{From: j.writerKey()}})
	if err != nil || len(page.Pairs) == 0 {
		return row{}, err
	}
	p := &page.Pairs[0]
	if len(p.Value) != rowLen {
		return row{}, fmt.Errorf("%w: %q holds %d bytes, want %d", ErrDamaged, p.Key, len(p.Value), rowLen)
	}
	return row{
		term: binary.BigEndian.Uint64(p.Value), commits: binary.BigEndian.Uint64(p.Value[8:]),
		seq: binary.BigEndian.Uint64(p.Value[16:]), mod: p.Mod,
	}, nil
}

// takeOver makes this the writer. What the writer before has in flight is done before it, or never.
func (j *Journal) takeOver(ctx context.Context) error {
	for {
		old, err := j.readRow(ctx)
		if err != nil {
			return err
		}
		next := row{term: old.term + 1, commits: old.commits + 1, seq: old.seq}
		result, err := j.st.Txn(ctx, store.Txn{
			If: []store.Compare{store.Unchanged(j.writerKey(), old.mod)}, Then: []store.Op{store.Put(j.writerKey(), next.append())},
		})
		if err == nil && result.Held {
			next.mod = result.Revision
			j.row = next
			return nil
		}
		if errors.Is(err, store.ErrFull) { // reading works: the first transaction that is done takes it
			next.mod, next.commits = old.mod, old.commits
			j.row = next
			return nil
		}
		// After an unknown outcome the row may be this writer's already: it takes it from itself.
		if err != nil && !errors.Is(err, store.ErrUnknown) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
