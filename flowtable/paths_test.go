package flowtable

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirnet/weir/openflow"
)

// meets reports whether an entry would be found by a packet of a decision, which finds none of a higher priority in its table.
func meets(d *Decision, e *Entry) bool {
	var f filter
	if f.parse(&e.Match) != nil {
		return false
	}
	return slices.ContainsFunc(d.looked, func(l looked) bool {
		for i := range f.mask {
			if (l.value[i]^f.value[i])&l.mask[i]&f.mask[i] != 0 {
				return false
			}
		}
		return l.table == e.Table && (!l.found || l.priority <= e.Priority)
	})
}

// TestPaths: an entry that comes meets the packets that it would meet if each was compared with it, whatever came and went.
func TestPaths(t *testing.T) {
	met := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 9))
		var paths Paths
		all := make(map[uint32]*Decision)
		random := func() (m openflow.Match) {
			for _, f := range []openflow.Field{openflow.FieldEthDst, openflow.FieldEthSrc, openflow.FieldMetadata} {
				if r.IntN(2) == 0 {
					m.SetUintMasked(f, r.Uint64N(4), 1+r.Uint64N(3))
				}
			}
			return m.Canonical()
		}
		for number := range uint32(60) {
			if r.IntN(3) == 0 {
				for gone := range all {
					paths.Remove(gone)
					delete(all, gone)
					break
				}
			}
			d := &Decision{}
			for table := range uint8(1 + r.IntN(3)) {
				l := looked{table: table, found: r.IntN(2) == 0, priority: uint16(r.IntN(3))}
				m := random()
				if err := l.parse(&m); err != nil {
					t.Fatal(err)
				}
				d.looked = append(d.looked, l)
			}
			paths.Add(number, d)
			all[number] = d
			e := &Entry{Table: uint8(r.IntN(3)), Priority: uint16(r.IntN(3)), Match: random()}
			got := paths.Meeting(e)
			slices.Sort(got)
			var want []uint32
			for number, d := range all {
				if meets(d, e) {
					want = append(want, number)
				}
			}
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s of table %d meets %d, want %d", seed, e.Match, e.Table, got, want)
			}
			met += len(got)
		}
		for number := range all {
			paths.Remove(number)
		}
		if len(paths.groups)+len(paths.of)+len(paths.places) > 0 {
			t.Fatalf("seed %d: something is left of paths that are gone: %+v", seed, paths)
		}
	}
	if met < 1000 {
		t.Error("the test shows nothing")
	}
}
