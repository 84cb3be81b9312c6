package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/weirnet/weir/store"
)

// NewClusterPlan draws the plan of a seed with three instances: they are killed, stopped and cut off from each other, beside
// what happens to the network, while somebody asks for intents.
func NewClusterPlan(seed uint64) *Plan {
	p := NewPlan(seed, Size{Switches: 5, Events: 8, History: 40 * time.Second, Intents: 4, IntentEvents: 60})
	p.Events = slices.DeleteFunc(p.Events, func(e Event) bool {
		return e.Kind == KillInstance || e.Kind == PauseInstance || e.Kind == StoreTrouble
	})
	r := rand.New(rand.NewPCG(seed, randClusterPlan))
	for range 3 {
		offset := time.Duration(0)
		if r.IntN(3) == 0 {
			offset = time.Duration(r.Int64N(int64(2*time.Hour))) - time.Hour
		}
		p.Offsets = append(p.Offsets, offset)
	}
	p.Equal = r.IntN(8) == 0
	for range 1 + r.IntN(8) {
		p.Events = append(p.Events, memberEvent(r))
	}
	for range 40 {
		p.Events = append(p.Events, Event{At: drawAt(r), Kind: ReadIntent, A: r.IntN(p.Intents), B: r.IntN(1 << 16)})
	}
	slices.SortStableFunc(p.Events, func(a, b Event) int { return int(a.At - b.At) })
	return p
}

func drawAt(r *rand.Rand) time.Duration {
	return time.Duration(r.Int64N(int64(40 * time.Second))).Round(time.Millisecond)
}

// memberEvent draws an event of instances. Half of them are of the owner.
func memberEvent(r *rand.Rand) Event {
	list := []Kind{KillMember, KillMember, KillMember, PauseMember, PauseMember, PauseMember, CutMembers, CutOneWay, Isolate,
		Isolate, SlowMembers, TroubleMember}
	e := Event{At: drawAt(r), Kind: list[r.IntN(len(list))], A: max(r.IntN(4)-1, 0), B: r.IntN(1 << 16)}
	e.For = time.Duration(50*(1<<r.IntN(9))+r.IntN(1000)) * time.Millisecond // 50 ms to 13 s
	return e
}

// which are the instances that an event means: the owner first, if there is one, and the others in turn.
func (c *instances) which(e Event) (list []*member) {
	first := 0
	if l := c.w.decider(); l != nil {
		first = l.machine.index
	}
	for i := range c.members {
		list = append(list, c.members[(first+i)%len(c.members)])
	}
	return append(list[e.A:], list[:e.A]...)
}

// act has an event happen to instances.
func (c *instances) act(e Event, end func(func())) {
	list := c.which(e)
	a, b := list[0], list[1+e.B%(len(list)-1)]
	m := a.machine
	both := func(do func(from, to *member)) {
		do(a, b)
		do(b, a)
	}
	cut := func(on bool) func(from, to *member) {
		return func(from, to *member) { c.cut(from.index, to.index, on) }
	}
	switch e.Kind {
	case KillMember:
		if m.running != nil {
			m.kill()
			end(m.start)
		}
	case PauseMember:
		m.stop(e.For, time.Duration(e.B%100)*time.Millisecond)
	case CutMembers:
		both(cut(true))
		end(func() { both(cut(false)); c.tellAll() })
	case CutOneWay:
		c.cut(a.index, b.index, true)
		end(func() { c.cut(a.index, b.index, false); c.tellAll() })
	case Isolate:
		each := func(on bool) {
			for _, o := range list[1:] {
				c.cut(a.index, o.index, on)
				c.cut(o.index, a.index, on)
			}
		}
		each(true)
		end(func() { each(false); c.tellAll() })
	case SlowMembers:
		slow := time.Duration(1+e.B%300) * time.Millisecond
		c.paths[a.index][b.index].slow += slow
		end(func() { c.paths[a.index][b.index].slow -= slow })
	case TroubleMember:
		fault := []store.Fault{store.Unavailable, store.Full, store.UnknownDone, store.UnknownLost, store.UnknownLate}[e.B%5]
		a.fault = func() store.Fault {
			if a.random.IntN(2) == 0 {
				return store.None
			}
			return fault
		}
		end(func() { a.fault = nil; c.memory.Settle() })
	}
	c.settle()
}

// stop stops the process for a time, after which it goes on by itself, with its connections open. Before, it has no turn any
// more in which it could write to switches what it has for them; that is what it does first when it goes on.
func (m *machine) stop(d, stuffed time.Duration) {
	l := m.running
	if l == nil {
		return
	}
	m.stuffed = true
	m.w.After(stuffed, func() {
		if l.over {
			return
		}
		m.pause(d)
		m.w.say("%s does not run for %v", l.name(), d)
		m.member.c.settle()
		l.after(0, func() {
			m.w.say("%s goes on", l.name())
			m.stuffed = false
			m.member.goOn()
		})
	})
}
