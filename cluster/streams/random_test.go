package streams

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/internal/need"
)

// TestRandomHistories: instances that send each other messages and bulk, while links are cut, one way too, connections are
// reset, and instances end and start again. Of messages none comes twice or out of order; of each bulk stream the receiver
// has all parts up to a place, and is told its end before another begins. When all is well again all are connected, within
// the same time.
func TestRandomHistories(t *testing.T) {
	for seed := range uint64(need.Rounds(30)) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { history(t, rand.New(rand.NewPCG(seed, 7))) })
		})
	}
}

func history(t *testing.T, r *rand.Rand) {
	instances := 2 + r.IntN(3)
	w := newWorld(t, instances, func(w *world) { w.queue, w.delay = 1<<18, time.Duration(r.IntN(3))*ms })
	some := func() ID { return ID(1 + r.IntN(instances)) }
	life, notes, bulks := uint64(100), 0, 0
	open := map[[2]ID]*Bulk{}
	parts := map[*Bulk]int{}
	names := map[*Bulk]int{}
	var all []*node // those that have ended, too
	for _, n := range w.nodes {
		all = append(all, n)
	}
	whole := func() {
		for a := range w.cuts {
			w.cut(a[0], a[1], false)
		}
		for _, n := range w.nodes {
			n.setTake(nil)
		}
		time.Sleep(time.Second)
		w.whole()
	}
	for range 300 {
		a, b := some(), some()
		one := w.nodes[a]
		switch e := r.IntN(100); {
		case a == b:
		case e < 4:
			w.cut(a, b, true)
		case e < 8:
			w.cut(a, b, false)
		case e < 11:
			w.reset(a, b)
		case e < 13:
			one.stop()
			if r.IntN(2) == 0 {
				time.Sleep(time.Duration(r.IntN(200)) * ms)
			}
			life++
			all = append(all, w.start(a, life))
		case e < 14:
			whole()
		case e < 17:
			slow := time.Duration(r.IntN(30)) * ms
			one.setTake(func(ID, []byte) error { time.Sleep(slow); return nil })
		case e < 19:
			refuse := fmt.Sprint(r.IntN(5), " ")
			one.setTake(func(_ ID, p []byte) error {
				if _, part, _ := strings.Cut(string(p), ":"); strings.HasPrefix(part, refuse) {
					return fmt.Errorf("not part %s", refuse)
				}
				return nil
			})
		case e < 50:
			for range 1 + r.IntN(20) {
				notes++
				_ = one.Send(b, kindNote, []byte(fmt.Sprintf("%d:%d", one.life, notes)))
			}
		case e < 90:
			k := [2]ID{a, b}
			if open[k] == nil || open[k].Err() != nil || r.IntN(20) == 0 {
				s, err := one.Begin(b, kindBulk)
				if err != nil {
					break
				}
				bulks++
				open[k], names[s] = s, bulks
			}
			s := open[k]
			for range 1 + r.IntN(30) {
				text := fmt.Sprintf("%d:%d %s", names[s], parts[s], strings.Repeat("x", r.IntN(30_000)))
				if s.Send([]byte(text)) == nil {
					parts[s]++
				}
			}
			if r.IntN(20) == 0 {
				s.End()
			}
		default:
			time.Sleep(time.Duration(r.IntN(700)) * ms)
		}
	}
	whole()
	for _, n := range all {
		n.checkNotes(t)
		n.checkBulk(t)
	}
}

func (n *node) setTake(f func(ID, []byte) error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.take = f
}

// checkNotes: the numbers of notes rise, since all who sent have the same numbers, and a sender's next life is later.
func (n *node) checkNotes(t *testing.T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for from, list := range n.notes {
		last := 0
		for _, text := range list {
			var life, number int
			if _, err := fmt.Sscanf(text, "%d:%d", &life, &number); err != nil || number <= last {
				t.Errorf("%d: note %s of %d after %d (%v)", n.id, text, from, last, err)
			}
			last = number
		}
	}
}

// checkBulk: streams begin and end in turns, and their parts are numbered from 0 on.
func (n *node) checkBulk(t *testing.T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for from, list := range n.bulk {
		name, next, open := 0, 0, false
		for i, text := range list {
			switch {
			case text == "began":
				if open {
					t.Errorf("%d: of %d a stream begins in another", n.id, from)
				}
				name, next, open = 0, 0, true
			case strings.HasPrefix(text, "ended: "):
				if !open {
					t.Errorf("%d: of %d a stream ends that has not begun", n.id, from)
				}
				open = false
			default:
				var of, part int
				_, err := fmt.Sscanf(text, "%d:%d", &of, &part)
				if err != nil || !open || part != next || name != 0 && of != name {
					t.Fatalf("%d: of %d, %d: part %.20s, want %d of %d (open: %v)", n.id, from, i, text, next, name, open)
				}
				name, next = of, part+1
			}
		}
	}
}
