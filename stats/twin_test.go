package stats

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/weirnet/weir/openflow"
)

// truth is a naive twin of rates: it knows the counters without their width, and all that happened
// to the switch.
type truth struct {
	at    time.Time
	ports map[uint32]lastSeen
}

type lastSeen struct {
	made  time.Time
	value [Counters]uint64
}

// look is what is true of a switch's ports at the time of a sample.
func (m *model) look(at time.Time) truth {
	now := truth{at, make(map[uint32]lastSeen)}
	for n, p := range m.ports {
		s := lastSeen{made: p.made}
		for c := range Counters {
			s.value[c] = p.count(c, at)
		}
		now.ports[n] = s
	}
	return now
}

// Rates are those of the naive twin under random traffic, restarts, reconnects, ports that come and
// go, and counters of 32 bits; where the twin knows that there is none, there is none.
func TestRatesAreThoseOfTheTwin(t *testing.T) {
	rated, unrated := 0, 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t, Config{Tables: -1, Flows: -1, Seed: seed})
		m := w.add(1, []openflow.Version{openflow.V10, openflow.V13}[r.IntN(2)], 4)
		m.bits = []int{32, 64}[r.IntN(2)]
		m.delay = time.Duration(r.IntN(100)) * time.Millisecond
		w.up(m)
		var was truth
		fresh := true // no sample of this session yet
		for range 120 {
			before := w.board.Switch(1)
			w.run(slot)
			for s := w.board.Switch(1); s == before; s = w.board.Switch(1) {
				w.run(slot)
			}
			s := w.board.Switch(1)
			now := m.look(s.Ports.AsOf)
			a, b := check(t, seed, s.Ports, was, now, fresh)
			rated, unrated = rated+a, unrated+b
			was, fresh = now, false
			w.happen(r, m, &fresh)
		}
	}
	t.Logf("%d rates, %d ports without", rated, unrated)
	if rated < 50_000 || unrated < 1000 {
		t.Error("too little was tried")
	}
}

// happen changes something at a switch.
func (w *world) happen(r *rand.Rand, m *model, fresh *bool) {
	number := uint32(1 + r.IntN(4))
	switch r.IntN(12) {
	case 0:
		w.restart(m)
	case 1:
		w.down(m)
		w.run(time.Duration(r.IntN(20)) * time.Second)
		w.up(m)
		*fresh = true
	case 2:
		delete(m.ports, number)
	case 3:
		m.plug(number, w.now)
	default:
		if p := m.ports[number]; p != nil {
			p.settle(w.now)
			for c := range Counters {
				p.rates[c] = r.Uint64N(300_000_000)
			}
		}
	}
}

// check compares a sample with the twin's truth, and returns how many rates there were, and how
// many ports without.
func check(t *testing.T, seed uint64, s *Ports, was, now truth, fresh bool) (rated, unrated int) {
	t.Helper()
	if len(s.List) != len(now.ports) {
		t.Fatalf("seed %d: %d ports, want %d", seed, len(s.List), len(now.ports))
	}
	for i := range s.List {
		p := &s.List[i]
		old, had := was.ports[p.Number]
		cur := now.ports[p.Number]
		same := had && old.made.Equal(cur.made)
		for c := range Counters {
			got, ok := p.Rate(c)
			switch {
			case ok && (fresh || !had):
				t.Fatalf("seed %d: port %d has a rate, and no earlier answer", seed, p.Number)
			case ok && same:
				want := float64(cur.value[c]-old.value[c]) / now.at.Sub(was.at).Seconds()
				if math.Abs(got-want) > 1e-6*want {
					t.Fatalf("seed %d: port %d: %s goes on by %f/s, want %f", seed, p.Number, c, got, want)
				}
				rated++
			case ok && !later(cur.value, old.value):
				t.Fatalf("seed %d: port %d has a rate, and counts anew", seed, p.Number)
			case !ok && same && !fresh:
				t.Fatalf("seed %d: port %d: %s has no rate: %d, %d", seed, p.Number, c, old.value[c], cur.value[c])
			case !ok:
				unrated++
			}
		}
	}
	return rated, unrated
}

// later reports whether all counters are at or above those before: then nobody can see that they
// began anew.
func later(now, was [Counters]uint64) bool {
	for c := range Counters {
		if now[c] < was[c] {
			return false
		}
	}
	return true
}
