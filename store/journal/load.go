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
	values, err := j.log.index(ctx, &j.place, j.row.seq)
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

// index indexes all blocks of a place, the last of which has the number newest, and returns their values, by slot.
func (l *log) index(ctx context.Context, from *place, newest uint64) (values [][]byte, err error) {
	q := store.Query{Span: store.Prefix(from.prefix + "b"), Limit: blocksAtOnce}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		page, err := from.st.Range(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range page.Pairs {
			if err := l.indexBlock(&page.Pairs[i], from, newest); err != nil {
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

func (l *log) indexBlock(p *store.Pair, from *place, newest uint64) error {
	seq, err := strconv.ParseUint(string(p.Key[len(from.prefix)+1:]), 16, 64)
	if err != nil || seq == 0 || seq > newest {
		return fmt.Errorf("%w: its key is none of a block up to %d", ErrDamaged, newest)
	}
	slot := l.push(seq, p.Mod)
	return walk(p.Value, func(r Record, at, size int) { l.addRecord(slot, &r, at, size) })
}
