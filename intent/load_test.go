package intent

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/ruleset"
)

// standby loads what the journals of a network are told, each journal for itself and late.
type standby struct {
	t      *testing.T
	r      *rand.Rand
	loader *Loader
	of     [2]*memory
	queue  [2][]Record // of intents and of decisions: not loaded yet
	begun  int         // starts with what it had
	resets int
}

func follow(t *testing.T, n *network, r *rand.Rand) *standby {
	s := &standby{t: t, r: r, of: [2]*memory{n.intent, n.chosen}, loader: n.loader()}
	for i, m := range s.of {
		m.tell = func(r Record) { s.queue[i] = append(s.queue[i], r) }
	}
	n.followed = func(fresh *Loader) *Loader {
		s.all()
		s.loader.End()
		sameLoaded(t, fresh, s.loader)
		begin := fresh
		if s.r.IntN(2) == 0 {
			begin = s.loader
			s.begun++
		}
		s.loader = n.loader()
		for i := range s.of {
			s.again(i)
		}
		return begin
	}
	return s
}

// again has all of a journal be loaded.
func (s *standby) again(i int) {
	s.queue[i] = nil
	for _, n := range s.of[i].numbers() {
		s.queue[i] = append(s.queue[i], Record{Number: n, Data: s.of[i].live[n]})
	}
}

// some loads some of what was told.
func (s *standby) some() {
	for i := range s.queue {
		for range s.r.IntN(8) {
			s.one(i)
		}
	}
	if s.r.IntN(20) == 0 {
		i := s.r.IntN(2)
		s.loader.Reset(i == 1)
		s.again(i)
		s.resets++
	}
}

func (s *standby) one(i int) {
	if len(s.queue[i]) == 0 {
		return
	}
	r := s.queue[i][0]
	s.queue[i] = s.queue[i][1:]
	if i == 1 {
		s.loader.Decision(r)
	} else if err := s.loader.Intent(r); err != nil {
		s.t.Fatal(err)
	}
}

// all loads the rest, the one before the other or in turn.
func (s *standby) all() {
	for len(s.queue[0])+len(s.queue[1]) > 0 {
		i := s.r.IntN(2)
		for range 1 + s.r.IntN(50) {
			s.one(i)
		}
	}
}

// sameLoaded holds what one loader has against what another has: the same, whatever was there meanwhile.
func sameLoaded(t *testing.T, want, got *Loader) {
	t.Helper()
	if err := errors.Join(sameCatalog(want.catalog, got.catalog), sameCore(want.core, got.core)); err != nil {
		t.Fatal(err)
	}
	if want.Len() != got.Len() || want.Bad() != got.Bad() {
		t.Fatalf("%d intents, %d bad decisions; want %d, %d", got.Len(), got.Bad(), want.Len(), want.Bad())
	}
}

func sameCatalog(want, got *catalog) error {
	if want.records.counts != got.records.counts || want.admission.claims.Len() != got.admission.claims.Len() ||
		want.records.ids.Len() != got.records.ids.Len() ||
		!slices.Equal(want.admission.claims.Wide(), got.admission.claims.Wide()) {
		return fmt.Errorf("%v, %d claims, %d ids; want %v, %d, %d", got.records.counts, got.admission.claims.Len(),
			got.records.ids.Len(), want.records.counts, want.admission.claims.Len(), want.records.ids.Len())
	}
	free := func(x *records, last uint32) (list []uint32) {
		for _, n := range x.free {
			if n <= last {
				list = append(list, n)
			}
		}
		slices.Sort(list)
		return list
	}
	if a, b := free(want.records, want.records.last), free(got.records, want.records.last); !slices.Equal(a, b) {
		return fmt.Errorf("free are %v, want %v", b, a)
	}
	for n := uint32(1); n <= max(want.records.last, got.records.last); n++ {
		a, b := want.records.entries.At(n), got.records.entries.At(n)
		if a.content != b.content || a.state != b.state || a.content != "" && got.records.find(b.id()) != n {
			return fmt.Errorf("number %d is %+v, want %+v", n, b, a)
		}
	}
	return nil
}

func sameCore(want, got *Core) error {
	restoring := 0
	for n := uint32(1); n < max(want.entries.End(), got.entries.End()); n++ {
		if got.entries.At(n).has(restorable) {
			restoring++
		}
		a, b := want.entries.At(n), got.entries.At(n)
		if (a.rules == nil) != (b.rules == nil) && (inTheWay(n, a.rules, got) || inTheWay(n, b.rules, want)) {
			continue // of two decisions with one tag, which the journal has before the rest is written, either is taken
		}
		if a.content != b.content || a.kind != b.kind || a.flags != b.flags || a.version != b.version || a.state != b.state ||
			(a.rules == nil) != (b.rules == nil) {
			return fmt.Errorf("number %d is %+v, want %+v", n, b, a)
		}
		if a.rules == nil {
			continue
		}
		same := func(x, y ruleset.Leg) bool { return x.Route.Equal(y.Route) && string(x.Match) == string(y.Match) }
		if a.rules.Priority != b.rules.Priority || a.rules.Version != b.rules.Version ||
			!slices.EqualFunc(a.rules.Legs, b.rules.Legs, same) {
			return fmt.Errorf("number %d has rules %+v, want %+v", n, b.rules, a.rules)
		}
		for r := range b.rules.Routes() {
			if got.registry.Of(r) == nil {
				return fmt.Errorf("a path of number %d was dropped", n)
			}
		}
	}
	dirty := func(c *Core) []uint32 { return slices.Sorted(slices.Values(c.decisions.dirty)) }
	if !slices.Equal(dirty(want), dirty(got)) || !maps.Equal(want.tags.byHosts, got.tags.byHosts) {
		return fmt.Errorf("dirty %v, wide %v; want %v, %v", dirty(got), got.tags.byHosts, dirty(want),
			want.tags.byHosts)
	}
	for id, u := range want.hosts.users {
		if got.hosts.users[id] == nil || got.hosts.users[id].Count() != u.Count() {
			return fmt.Errorf("host %s has %v, want %v", id, got.hosts.users[id], u)
		}
	}
	if restoring != got.entries.restoring {
		return fmt.Errorf("%d to be restored, %d counted", restoring, got.entries.restoring)
	}
	if len(want.hosts.users) != len(got.hosts.users) {
		return fmt.Errorf("%d hosts, want %d", len(got.hosts.users), len(want.hosts.users))
	}
	return nil
}

// inTheWay reports whether another intent of a core has a tag of some rules where they have it.
func inTheWay(n uint32, g *ruleset.Set, c *Core) (found bool) {
	type place struct {
		at  netview.Point
		tag ruleset.Tag
	}
	held := make(map[place]bool)
	if g.Tagged() {
		for r := range g.Routes() {
			for _, h := range r.Hops {
				held[place{at(h.DPID, h.In), h.Tag}] = h.Tag != 0
			}
		}
	}
	for m := range c.entries.End() {
		if o := c.entries.At(m).rules; m != n && o.Tagged() {
			for r := range o.Routes() {
				for _, h := range r.Hops {
					found = found || held[place{at(h.DPID, h.In), h.Tag}]
				}
			}
		}
	}
	return found
}

// TestFollowedHistories: who loads what changes, as it changes, has in the end what one has who loads all then, and an
// engine begins with it as well.
func TestFollowedHistories(t *testing.T) {
	need.OneGoroutine(t)
	begun, resets := 0, 0
	for seed := range uint64(200) {
		w := newTwin(t, seed+1000)
		s := follow(t, w.network, rand.New(rand.NewPCG(seed, 7)))
		for range 12 {
			for range w.r.IntN(12) {
				switch w.r.IntN(4) {
				case 0:
					w.ask()
				case 1:
					w.act()
				default:
					w.some()
				}
				s.some()
			}
			clear(w.off)
			w.refuse = nil
			w.check()
			if w.r.IntN(3) == 0 {
				w.chosen.commit(nil)
				w.start()
				w.check()
			}
		}
		begun, resets = begun+s.begun, resets+s.resets
	}
	if begun < 200 || resets < 200 {
		t.Errorf("%d begun with what was followed, %d resets", begun, resets)
	}
}

// TestFollowedForLong: what a loader keeps depends on what there is, and not on what there was.
func TestFollowedForLong(t *testing.T) {
	n := newNetwork(t, 2)
	l := n.loader()
	const rounds = 3 * sweepAt
	for i := range uint32(rounds) {
		from, to := at(1, i+1), at(1, i+rounds)
		s := flow(fmt.Sprint("i", i), from, to, i)
		if err := l.Intent(Record{Number: 1 + i%5, Data: s.Append(nil)}); err != nil {
			t.Fatal(err)
		}
		l.Decision(Record{Number: 1 + i%5, Data: decisionOf(hop(1, i+1, i+rounds))})
		if l.core.entries.At(1+i%5).rules == nil {
			t.Fatalf("decision %d was not taken", i)
		}
		if i%5 == 4 {
			for k := range uint32(5) {
				l.Intent(Record{Number: 1 + k, Delete: true})
				l.Decision(Record{Number: 1 + k, Delete: true})
			}
		}
	}
	if n := l.core.registry.Len(); n > sweepAt {
		t.Errorf("%d paths of 5 intents", n)
	}
	if l.End(); len(l.core.decisions.shelf)+len(l.core.decisions.dirty) > 0 || len(l.catalog.records.free) > 5 {
		t.Errorf("%d shelved, %d to be written, %d numbers free", len(l.core.decisions.shelf), len(l.core.decisions.dirty),
			len(l.catalog.records.free))
	}
}

// decisionOf is a decision of one hop, as the journal has it.
func decisionOf(h [3]uint32) []byte {
	b := []byte{decisionFormat, 0, 1, 1}
	for i, v := range h {
		if i == 2 {
			b = append(b, 1)
		}
		b = binary.AppendUvarint(b, uint64(v))
	}
	return append(b, 0)
}

func hop(dpid netview.DPID, in, out uint32) [3]uint32 { return [3]uint32{uint32(dpid), in, out} }
