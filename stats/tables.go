package stats

import (
	"slices"
	"time"

	"github.com/weirnet/weir/openflow"
)

// tablesOf makes the sample of an answer. Was is the sample before, or nil.
func tablesOf(list []openflow.TableStats, epoch uint64, at time.Time, was *Tables) *Tables {
	now := &Tables{AsOf: at, epoch: epoch}
	for i := range list {
		s := &list[i]
		if s.Table == 0 || s.Active > 0 || used(s.Lookups) || used(s.Matched) {
			now.List = append(now.List, Table{
				Number: s.Table, Entries: s.Active, MaxEntries: s.MaxEntries, Lookups: s.Lookups, Matched: s.Matched,
			})
		}
	}
	slices.SortStableFunc(now.List, func(a, b Table) int { return int(a.Number) - int(b.Number) })
	now.List = slices.CompactFunc(now.List, func(a, b Table) bool { return a.Number == b.Number })
	if was == nil || was.epoch != epoch {
		return now
	}
	span := at.Sub(was.AsOf)
	for i := range now.List {
		t := &now.List[i]
		j := slices.IndexFunc(was.List, func(o Table) bool { return o.Number == t.Number })
		if j >= 0 && span > 0 {
			t.compare(&was.List[j], span)
		}
	}
	return now
}

func used(n uint64) bool { return n != 0 && n != NotCounted }

// compare fills a table's rates from its counters before.
func (t *Table) compare(was *Table, span time.Duration) {
	var by [2]uint64
	counted, all := countersAdvance(by[:], []uint64{was.Lookups, was.Matched}, []uint64{t.Lookups, t.Matched})
	if all && counted == 3 {
		t.Rated, t.LookupsRate, t.MatchedRate = true, rate(by[0], span), rate(by[1], span)
	}
}
