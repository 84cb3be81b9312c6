package flowsync

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
)

// slowSwitch is a switch in virtual time: it writes flow-mods group by group, as an emulated switch with a profile does.
type slowSwitch struct {
	name  string
	each  time.Duration // of a flow-mod
	group int           // flow-mods that are written together, at most; 0: each by itself
	delay time.Duration // of a group
	trip  time.Duration // to the switch and back
}

// slowSwitches: hardware of 300 and 1,000 flow-mods a second, one that writes in groups (emu/profile, aruba-3810m), and
// one that is quick.
var slowSwitches = []slowSwitch{
	{name: "300/s", each: time.Second / 300, trip: 300 * time.Microsecond},
	{name: "1000/s", each: time.Millisecond, trip: 300 * time.Microsecond},
	{name: "500/s,groups of 16", each: 2 * time.Millisecond, group: 16, delay: 5 * time.Millisecond,
		trip: 300 * time.Microsecond},
	{name: "20000/s", each: 50 * time.Microsecond, trip: 100 * time.Microsecond},
}

// slowWorld is a core with one such switch.
type slowWorld struct {
	slowSwitch
	core  *Core
	start time.Time
	now   time.Duration

	coming  []slowBatch // on the way to the switch, or there, in order
	left    int         // of the first, not written yet
	writing int         // flow-mods of the group that is written
	done    time.Duration
	answers []slowBatch // on the way back

	mods, barriers int
	waits          map[uint32]bool // numbers of owners whose rule is not installed
}

type slowBatch struct {
	id    uint64
	count int
	at    time.Duration // when it arrives
}

var slowAddress = Address{1, 1}

func newSlowWorld(s slowSwitch) *slowWorld {
	w := &slowWorld{slowSwitch: s, core: NewCore(Config{NoMonitor: true, ReadEvery: 1000 * time.Hour}), start: time.Unix(0, 0),
		waits: make(map[uint32]bool)}
	w.group = max(w.group, 1)
	r := w.core.Step([]Input{Up{slowAddress, openflow.V13, 254}}, w.start)
	w.step(Entries{Address: slowAddress, ID: r.Readings[0].ID})
	return w
}

// step steps the core, and sends what it has for the switch.
func (w *slowWorld) step(inputs ...Input) {
	for len(inputs) > 0 {
		r := w.core.Step(inputs, w.start.Add(w.now))
		inputs = nil
		for _, o := range r.Outcomes {
			delete(w.waits, o.Rules.Number)
		}
		for _, b := range r.Batches {
			w.mods, w.barriers = w.mods+b.Count, w.barriers+1
			w.coming = append(w.coming, slowBatch{b.ID, b.Count, w.now + w.trip/2})
			inputs = append(inputs, Sent{Address: slowAddress, Frames: true, Barrier: true})
		}
	}
}

// write begins to write what is there by a time, if nothing is written.
func (w *slowWorld) write() {
	if w.writing > 0 {
		return
	}
	begin := max(w.done, w.coming[0].at)
	n := 0
	for _, b := range w.coming {
		if b.at <= begin {
			n += b.count
		}
	}
	w.writing = min(n-w.left, w.group)
	w.done = begin + w.delay + time.Duration(w.writing)*w.each
}

// next lets time pass until something happens, at the latest until a time.
func (w *slowWorld) next(until time.Duration) {
	at := until
	if len(w.answers) > 0 {
		at = min(at, w.answers[0].at)
	}
	if len(w.coming) > 0 {
		w.write()
		at = min(at, w.done)
	}
	w.now = at
	switch {
	case len(w.answers) > 0 && w.answers[0].at <= at:
		b := w.answers[0]
		w.answers = w.answers[1:]
		w.step(Confirmed{slowAddress, b.id, nil})
	case len(w.coming) > 0 && w.done <= at:
		w.left, w.writing = w.left+w.writing, 0
		for len(w.coming) > 0 && w.coming[0].count <= w.left {
			b := w.coming[0]
			w.coming, w.left = w.coming[1:], w.left-b.count
			b.at = at + w.trip/2
			w.answers = append(w.answers, b)
		}
	}
}

// order orders rules at the switch, each of an owner of its own.
func (w *slowWorld) order(kind plan.Kind, from, n uint32) {
	do := ruleset.Outputs(1, 2)
	list := make([]ruleset.Order, n)
	for i := range list {
		number := from + uint32(i)
		match := binary.BigEndian.AppendUint32([]byte{0x80, 0, 10, 2, 8, 0, 0x80, 0, 22, 4}, number|uint32(kind)<<24)
		route := &ruleset.Route{Hops: []*ruleset.Hop{{DPID: netview.DPID(1), In: 1, Do: do}}}
		list[i].Rules = ruleset.New(kind, number, 20100, ruleset.Leg{Match: match, Route: route})
	}
	w.step(Orders{list})
}

// waitOfTen is how long an owner of ten rules waits, the median of many times, beside another's rules.
func (w *slowWorld) waitOfTen(t testing.TB, r *rand.Rand, others uint32) time.Duration {
	const owner = 1 << 20
	if others > 0 {
		w.order(plan.KindIntent, 0, others)
		for until := w.now + time.Second; w.now < until; { // batches become what they are to be
			w.next(until)
		}
	}
	w.mods, w.barriers = 0, 0
	var waits []time.Duration
	for i := range uint32(51) {
		pause := time.Duration(r.Int64N(int64(40*w.each + w.delay + w.trip)))
		for until := w.now + pause; w.now < until; {
			w.next(until)
		}
		began := w.now
		for k := range uint32(10) {
			w.waits[owner+10*i+k] = true
		}
		before := len(w.waits) - 10
		w.order(plan.KindApp, owner+10*i, 10)
		for len(w.waits) > before {
			w.next(w.now + time.Hour)
		}
		waits = append(waits, w.now-began)
	}
	if others > 0 && w.core.switches[slowAddress.DPID].rules.queue.count == 0 {
		t.Fatalf("%s: the many have nothing to do any more", w.name)
	}
	slices.Sort(waits)
	return waits[len(waits)/2]
}

// TestFewBesideMany: ten rules wait hardly longer beside a hundred thousand than alone.
func TestFewBesideMany(t *testing.T) {
	for _, s := range slowSwitches[:2] {
		r := rand.New(rand.NewPCG(1, 2))
		alone := newSlowWorld(s).waitOfTen(t, r, 0)
		w := newSlowWorld(s)
		if beside := w.waitOfTen(t, r, 100_000); 10*beside > 12*alone {
			t.Errorf("%s: ten rules wait %s alone and %s beside 100,000", s.name, alone, beside)
		}
	}
}

// BenchmarkFewBesideMany is the wait of an owner of ten rules, beside one of 100,000 and alone, in virtual time; and what
// the many get meanwhile of what the switch can do.
func BenchmarkFewBesideMany(b *testing.B) {
	for _, s := range slowSwitches {
		b.Run(s.name, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			for b.Loop() {
				alone := newSlowWorld(s).waitOfTen(b, r, 0)
				w := newSlowWorld(s)
				began := w.now
				beside := w.waitOfTen(b, r, 100_000)
				group := float64(max(s.group, 1))
				most := group / (s.delay + time.Duration(group)*s.each).Seconds()
				b.ReportMetric(float64(beside)/float64(alone), "ratio")
				b.ReportMetric(float64(alone.Microseconds()), "alone-µs")
				b.ReportMetric(float64(beside.Microseconds()), "beside-µs")
				b.ReportMetric(float64(w.mods)/(w.now-began-time.Second).Seconds()/most, "of-most")
				b.ReportMetric(float64(w.barriers)/float64(w.mods), "barriers/flow-mod")
			}
		})
	}
}
