package stats

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
)

// asking is a core with one switch of some ports, and the bytes of its answer.
type asking struct {
	core  *Core
	now   time.Time
	frame []byte
	out   []byte
}

func newAsking(tb testing.TB, ports int) *asking {
	w := newWorld(tb, Config{Tables: -1, Flows: -1})
	m := w.add(1, openflow.V13, ports)
	w.up(m)
	a := &asking{core: w.core, now: w.now}
	var err error
	reply := &openflow.MultipartReply{Body: m.answer(&openflow.PortStatsRequest{}, w.now)}
	if a.frame, err = openflow.Append(nil, openflow.V13, 1, reply); err != nil {
		tb.Fatal(err)
	}
	return a
}

// ask asks for port counters once, and takes the answer: encoding, decoding, rates, all but the
// session's part.
func (a *asking) ask() {
	a.now = a.now.Add(6 * time.Second)
	ready := a.core.Step(nil, a.now)
	if len(ready.Questions) != 1 {
		panic("not asked")
	}
	q := ready.Questions[0]
	a.out, _ = openflow.Append(a.out[:0], openflow.V13, 1, &openflow.MultipartRequest{Body: q.body(1)})
	_, m, err := openflow.Parse(a.frame)
	if err != nil {
		panic(err)
	}
	a.core.Step([]Input{Answer{Address: q.Address, At: a.now, Body: m.(*openflow.MultipartReply).Body}}, a.now)
}

// BenchmarkQuestion is one question for port counters and its answer.
func BenchmarkQuestion(b *testing.B) {
	for _, ports := range []int{1, 48, 480} {
		b.Run(fmt.Sprint("ports=", ports), func(b *testing.B) {
			a := newAsking(b, ports)
			b.ReportAllocs()
			for b.Loop() {
				a.ask()
			}
		})
	}
}

// A question costs a bounded number of allocations, whatever the number of ports.
func TestAllocationBudgetOfQuestions(t *testing.T) {
	need.NoRace(t)
	for _, ports := range []int{1, 48} {
		a := newAsking(t, ports)
		if n := testing.AllocsPerRun(100, a.ask); n > 24 {
			t.Errorf("%d ports: %.0f allocations", ports, n)
		}
	}
}
