package journal

import (
	"context"
	"fmt"
	"strconv"

	"github.com/weirnet/weir/store"
)

// blocksAtOnce is how many blocks are read at a time: about 16 MiB.
const blocksAtOnce = 256

// Load yields the live records, in the order in which they were appended. It is called once, before
// the first Append. Data is valid during the call. An error of yield ends it and is returned; the
// end of the context does so before the next block.
func (j *Journal) Load(ctx context.Context, yield func(Record) error) error {
	values, err := j.readAll(ctx)
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.cfg.Prefix, err)
	}
	j.log.small = j.log.countSmall()
	j.publish()
	for slot, value := range values {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("journal %s: %w", j.cfg.Prefix, err)
		}
		values[slot] = nil
		err := walk(value, func(r Record, at, size int) {
			if err == nil && !r.Delete && j.log.isNewest(uint32(slot), r.Number, at) {
				err = yield(r)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readAll indexes all blocks, and returns their values, by slot.
func (j *Journal) readAll(ctx context.Context) (values [][]byte, err error) {
	q := store.Query{Span: store.Prefix(j.cfg.Prefix + "b"), Limit: blocksAtOnce}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		page, err := j.st.Range(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range page.Pairs {
			if err := j.indexBlock(&page.Pairs[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", page.Pairs[i].Key, err)
			}
			values = append(values, page.Pairs[i].Value)
		}
		if more = page.More; more {
			q.Span.From = store.After(page.Pairs[len(page.Pairs)-1].Key)
		}
	}
	return values, nil
}

func (j *Journal) indexBlock(p *store.Pair) error {
	seq, err := strconv.ParseUint(string(p.Key[len(j.cfg.Prefix)+1:]), 16, 64)
	if err != nil || seq == 0 || seq > j.row.seq {
		return fmt.Errorf("%w: its key is none of a block up to %d", ErrDamaged, j.row.seq)
	}
	slot := j.log.push(seq, p.Mod)
	return walk(p.Value, func(r Record, at, size int) { j.log.addRecord(slot, &r, at, size) })
}
