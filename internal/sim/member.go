package sim

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/weirnet/weir/cluster"
	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/store/owner"
)

// member is an instance of a cluster, on its machine: what goroutines do in a process is done here in turns. Conclusions are
// those of the real packages: when another is dead (liveness.Core), when to take an owner's place (cluster.Takeover), who owns
// the store (owner.Claim), when to step down (owner.Keeper), and what an instance does then (node.Stepped).
type member struct {
	c       *instances
	index   int
	machine *machine
	random  *rand.Rand
	fault   func() store.Fault // of transactions at this member; nil: none
	seen    store.Revision     // of the store, at this member

	// of the process that runs
	claim  *owner.Claim
	keeper *owner.Keeper // of an owner; nil: it stands by
	core   *liveness.Core
	looks  cluster.Takeover
	holds  bool   // it holds sessions of switches
	turns  [3]int // the next turn of each kind, by number
	conns  []int  // connections to the others, by number; 0: none
	made   int    // version of what it remembers, as the owner
	sent   []int  // version of that which each of the others was sent
}

// turn is a goroutine of a process.
type turn int

const (
	beats  turn = iota // heartbeats: streams.Streams
	peers              // who is dead: cluster.Peers
	claims             // who owns the store: owner.Claim
)

// Times of what packages streams and node do.
const (
	callEvery = 100 * time.Millisecond
	silence   = 500 * time.Millisecond // after which a suspected one's connection is closed
	reopens   = time.Second            // after which an instance whose store does not answer begins anew
	loads     = 30 * time.Millisecond  // how long it takes at least until an owner has its engines
	loadsMost = 120 * time.Millisecond
	storeSays = time.Second // how long a store that does not answer is waited for at most
)

func (b *member) id() string { return fmt.Sprintf("%x", b.index+1) }

func numberOf(index int) liveness.ID { return liveness.ID(index + 1) }

// take draws how long something takes to another machine, as wire.take does.
func (b *member) take() time.Duration {
	d := time.Duration(b.random.Int64N(int64(bytesTake)))
	if b.random.IntN(50) == 0 {
		d += time.Duration(b.random.Int64N(int64(bytesTakeMax)))
	}
	return d
}

// begin begins an instance, which stands by until it owns the store.
func (b *member) begin(l *instanceRun) {
	m := b.machine
	life := liveness.Life{ID: numberOf(b.index), Incarnation: l.random.Uint64() | 1}
	b.claim = owner.NewAt(handle{b}, owner.Instance{Name: m.name(), API: m.name() + ":8080", Member: b.id(),
		Life: life.Incarnation, Incarnation: fmt.Sprintf("%s.%d", m.name(), l.number)}, m.Now)
	b.keeper, b.holds, b.made = nil, false, 0
	clear(b.conns)
	clear(b.sent)
	cfg := cluster.Heartbeats()
	cfg.Self = life
	b.core = liveness.New(cfg, m.Now())
	var ids []liveness.ID
	for j := range b.c.members {
		ids = append(ids, numberOf(j))
	}
	b.core.SetMembers(ids, m.Now())
	b.looks = cluster.Takeover{Own: b.claim, Hears: b.core, ByLease: b.c.w.plan.Equal, Log: slog.New(slog.DiscardHandler)}
	l.instance = node.NewSteppedStandby(l.config(handle{b}), b.claim)
	m.running = l
	b.c.w.say("%s begins", l.name())
	for j := b.index + 1; j < len(b.c.members); j++ {
		b.call(l, j)
	}
	b.next(beats, 0)
	b.next(peers, 0)
	b.next(claims, 0)
}

// next has the process have a turn, and not the one of before.
func (b *member) next(k turn, after time.Duration) {
	b.turns[k]++
	mine := b.turns[k]
	b.machine.running.after(after, func() {
		if mine != b.turns[k] {
			return
		}
		switch k {
		case beats:
			b.beat(true)
		case peers:
			b.look()
		case claims:
			b.claimTurn()
		}
	})
}

// call connects to another one, again and again.
func (b *member) call(l *instanceRun, j int) {
	c, o := b.c, b.c.members[j]
	if b.conns[j] == 0 && c.runs(j) && c.joined(b.index, j) {
		c.conns++
		b.attach(j, c.conns)
		o.attach(b.index, c.conns)
	}
	l.after(callEvery, func() { b.call(l, j) })
}

// attach takes a new connection into use.
func (b *member) attach(j, conn int) {
	if old := b.conns[j]; old != 0 {
		b.c.drop(b.index, j, old)
	}
	b.conns[j], b.sent[j] = conn, 0
	b.core.Connected(numberOf(j), b.machine.Now())
	b.next(peers, b.take())
	b.ring()
}

// lost takes note of a connection that is over.
func (b *member) lost(j, conn int) {
	if b.conns[j] != conn {
		return
	}
	b.conns[j] = 0
	b.c.drop(b.index, j, conn)
	b.core.Lost(numberOf(j), b.machine.Now())
	b.next(peers, 0)
	b.ring()
}

// hangUp ends a connection, and tells the other end.
func (b *member) hangUp(j int) {
	conn, o := b.conns[j], b.c.members[j]
	b.lost(j, conn)
	b.c.send(b.index, j, conn, func() { o.hears(func() { o.lost(b.index, conn) }) })
}

// hears has the process take what came, if it runs.
func (b *member) hears(do func()) {
	if l := b.machine.running; l != nil {
		l.awake(do)
	}
}

// ring has a heartbeat sent at once.
func (b *member) ring() { b.machine.running.after(0, func() { b.beat(false) }) }

// beat is a turn of heartbeats.
func (b *member) beat(tick bool) {
	now := b.machine.Now()
	beat, wait, changed := b.core.Turn(now, tick)
	text := beat.Append(nil)
	for j, conn := range b.conns {
		if conn == 0 {
			continue
		}
		if b.core.Silence(numberOf(j), now) > b.core.Limit(numberOf(j), now)+silence {
			b.hangUp(j)
			continue
		}
		b.c.send(b.index, j, conn, func() { b.c.members[j].arrives(b, conn, text) })
	}
	late := time.Duration(b.random.Int64N(int64(turnTakes)))
	if b.random.IntN(200) == 0 {
		late = time.Duration(b.random.Int64N(int64(turnTakesMax)))
	}
	b.next(beats, wait+late)
	if changed {
		b.next(peers, 0)
	}
}

// arrives takes a heartbeat. Without the connection it is answered with a reset.
func (b *member) arrives(from *member, conn int, text []byte) {
	if b.machine.running == nil {
		b.reset(from, conn)
		return
	}
	b.hears(func() {
		if b.conns[from.index] != conn {
			b.reset(from, conn)
			return
		}
		var h liveness.Heartbeat
		if err := h.Parse(text); err != nil {
			b.c.w.fail("a heartbeat of %s: %v", from.machine.name(), err)
			return
		}
		changed := b.core.Receive(&h, b.machine.Now())
		if b.core.Unsaid() {
			b.ring()
		}
		if changed {
			b.next(peers, 0)
		}
	})
}

func (b *member) reset(from *member, conn int) {
	b.c.send(b.index, from.index, conn, func() { from.hears(func() { from.lost(b.index, conn) }) })
}

// look is a turn of who looks whether the owner, or the leader of the store, is dead.
func (b *member) look() {
	campaign, next := b.looks.Look(b.machine.Now(), b.c.roster(b.index))
	if campaign {
		b.c.campaign(b.index)
	}
	b.next(peers, next)
	b.tellFacts()
	select {
	case <-b.claim.News():
		if b.keeper == nil {
			b.next(claims, 0)
		}
	default:
	}
}

// remembers has the others told what the owner remembers.
func (b *member) remembers() {
	b.made++
	b.next(peers, 0)
}

// tellFacts sends what the owner remembers to those that have not got it.
func (b *member) tellFacts() {
	if b.made == 0 || !b.claim.Owns() {
		return
	}
	file := b.machine.file
	for j, conn := range b.conns {
		if conn == 0 || b.sent[j] == b.made {
			continue
		}
		b.sent[j] = b.made
		o := b.c.members[j]
		b.c.send(b.index, j, conn, func() {
			o.hears(func() {
				if o.conns[b.index] == conn && !o.claim.Owns() {
					o.machine.file = file
				}
			})
		})
	}
}

// try has an instance that stands by look at once who owns the store.
func (b *member) try() {
	if b.keeper == nil {
		b.next(claims, 0)
	}
}

// claimTurn is a turn of who claims the store, or keeps it.
func (b *member) claimTurn() {
	defer b.goOn()
	if b.keeper != nil {
		b.keep()
		return
	}
	l := b.machine.running
	other, err := b.claim.Try(neverEnds)
	if err == nil && other == nil {
		b.owns(l)
		return
	}
	if other != nil && !b.holds {
		b.holds = true
		if err := l.instance.Hold(); err != nil {
			b.c.w.fail("a standby cannot hold switches: %v", err)
		}
	}
	wait := time.Second
	if err != nil {
		wait += time.Duration(b.random.Int64N(int64(storeSays)))
	}
	b.next(claims, wait)
}

// owns has the instance take over.
func (b *member) owns(l *instanceRun) {
	w := b.c.w
	b.c.reigns++
	l.reign = b.c.reigns
	b.keeper = b.claim.Keeper()
	w.say("%s owns the store, in term %d", l.name(), b.claim.Terms().Term())
	w.referee.begins(l, b.claim.Terms())
	b.next(claims, time.Second)
	l.instance.Ask()
	l.after(loads+time.Duration(b.random.Int64N(int64(loadsMost-loads))), func() {
		facts, ok := b.machine.facts()
		if !ok {
			return
		}
		if err := l.instance.Take(facts); isStores(err) {
			w.say("%s does not take over: %v", l.name(), err)
			b.over(reopens)
		} else if owner.StepsDown(err) {
			w.say("%s steps down: %v", l.name(), err)
			b.over(time.Millisecond)
		} else if err != nil {
			w.fail("an instance cannot take over: %v", err)
		} else {
			l.begins(facts)
		}
	})
}

// keep renews the ownership, or steps down.
func (b *member) keep() {
	trouble := false
	wait, err := b.keeper.Step(neverEnds, func(why string) { trouble = why != "" })
	if err != nil {
		b.c.w.say("%s steps down: %v", b.machine.running.name(), err)
		b.machine.running.instance.StepDown()
		b.over(time.Millisecond)
		return
	}
	if trouble {
		wait += time.Duration(b.random.Int64N(int64(storeSays)))
	}
	b.next(claims, wait)
}

// over ends the life of an instance in order, and begins another in the same process.
func (b *member) over(again time.Duration) {
	m := b.machine
	b.claim.Release()
	m.end()
	b.c.w.After(again, m.start)
}

// died tells the others that the process is gone: its connections are.
func (b *member) died() {
	for j, conn := range b.conns {
		if o := b.c.members[j]; conn != 0 {
			b.c.send(b.index, j, conn, func() { o.hears(func() { o.lost(b.index, conn) }) })
		}
	}
	clear(b.conns)
	b.keeper = nil
	b.c.settle()
}

// mayWrite reports whether the instance may write to switches now.
func (b *member) mayWrite() bool { return !b.machine.stuffed && b.claim.MayWrite() }

// goOn has the sessions of switches write what they could not.
func (b *member) goOn() {
	if b.machine.running == nil || !b.mayWrite() {
		return
	}
	for _, c := range b.c.w.wires.live {
		if e := c.ends[atInstance]; c.machine == b.machine && e.kept && e.session != nil {
			e.kept = false
			e.running(e.session.Drain)
		}
	}
}
