package intent

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestManyRequestsForOneID: each is answered in its turn, and what that costs grows with their
// number and not with its square.
func TestManyRequestsForOneID(t *testing.T) {
	const many = 20_000
	n := square(t)
	n.submit(false, Request{Op: Create, Spec: flow("a", at(1, 9), at(4, 9), 0)})
	answered := 0
	for i := range uint32(many) {
		replace := Request{Op: Replace, Spec: flow("a", at(1, 9), at(4, 9), 1+i)}
		if i%3 == 2 { // the same again: nothing to be made durable
			replace.Spec = flow("a", at(1, 9), at(4, 9), i)
		}
		if err := n.engine.SubmitAsync([]Request{replace}, false, func(a []Answer, err error) {
			want := Accepted
			if i%3 == 2 {
				want = Existing
			}
			if err != nil || a[0].Status != want || answered != int(i) {
				t.Fatalf("request %d, answered as number %d: %+v, %v", i, answered, a, err)
			}
			answered++
		}); err != nil {
			t.Fatal(err)
		}
	}
	for before := -1; answered != before; {
		before = answered
		n.intent.commit(nil)
	}
	if f := n.engine.catalog.requests; answered != many || f.inFlight != 0 || len(f.idQueues.byID) != 0 {
		t.Fatalf("%d of %d answered, %d in flight, %d lines", answered, many, f.inFlight, len(f.idQueues.byID))
	}
	if steps := n.engine.catalog.requests.idQueues.steps; steps > 4*many {
		t.Errorf("%d looks for %d requests", steps, many)
	}
}

// queue is the plain way to wait: after each end all who wait are looked at, in order.
type queue struct{ waiting []*batch }

func (q *queue) next(busy map[string]int) *batch {
	taken := map[string]bool{}
	for i, b := range q.waiting {
		free := true
		for _, r := range b.reqs {
			free = free && busy[r.ID] == 0 && !taken[r.ID]
		}
		if free {
			q.waiting = slices.Delete(q.waiting, i, i+1)
			return b
		}
		for _, r := range b.reqs {
			taken[r.ID] = true
		}
	}
	return nil
}

// TestLinesAsTwin: batches are admitted in the order in which the plain way admits them, whatever
// they name and however they end.
func TestLinesAsTwin(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var lines lines
		var twin queue
		var flying []*batch
		busy := map[string]int{}
		isBusy := func(id string) bool { return busy[id] > 0 }
		fly := func(b *batch) { // some change nothing of what they name
			b.undo = nil
			for _, q := range b.reqs {
				if r.IntN(4) > 0 {
					b.undo = append(b.undo, undo{commit: Commit{Content: "\x01\x02\x00\x00\x01" + q.ID}})
					busy[q.ID]++
				}
			}
			if len(b.undo) > 0 {
				flying = append(flying, b)
			}
		}
		for range 200 {
			if r.IntN(3) > 0 {
				b := &batch{}
				for range 1 + r.IntN(4) {
					b.reqs = append(b.reqs, Request{Op: Withdraw, ID: string(rune('a' + r.IntN(8)))})
				}
				if slices.ContainsFunc(b.reqs, func(q Request) bool { return lines.has(q.ID) || isBusy(q.ID) }) {
					lines.join(b, isBusy)
					twin.waiting = append(twin.waiting, b)
				} else {
					fly(b)
				}
				continue
			}
			if len(flying) == 0 {
				continue
			}
			i := r.IntN(len(flying))
			ended := flying[i]
			flying = slices.Delete(flying, i, i+1)
			for _, u := range ended.undo {
				busy[u.id()]--
			}
			for _, u := range ended.undo {
				lines.free(u.id())
			}
			for {
				want, got := twin.next(busy), lines.next()
				if got != want {
					t.Fatalf("seed %d: %v admitted, want %v", seed, got, want)
				}
				if got == nil {
					break
				}
				fly(got)
				for _, q := range got.reqs {
					if !isBusy(q.ID) {
						lines.free(q.ID)
					}
				}
			}
		}
		if waiting := len(twin.waiting); (waiting == 0) != (len(lines.byID) == 0) || lines.ready.Len() != 0 {
			t.Fatalf("seed %d: %d wait, in %d lines, and %d are ready", seed, waiting, len(lines.byID), lines.ready.Len())
		}
	}
}
