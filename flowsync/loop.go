package flowsync

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/ruleset"
	"github.com/weirnet/weir/trace"
)

// changesAtOnce is about how many changes of the view go into one step.
const changesAtOnce = 4096

// errAnswer is passed to the core when a switch answers with the wrong kind of body.
var errAnswer = errors.New("flowsync: the answer is of another kind than the request")

// Loop runs a Core, which who has its turn owns exclusively: the goroutine of Run or, of few orders, that of who
// ordered. Other goroutines post inputs to the inbox.
type Loop struct {
	loop.Part

	view    *netview.View
	status  *netview.Status
	desired *netview.Desired
	config  Config

	inbox     *inbox
	questions questions

	done     chan struct{}
	leftover atomic.Int64 // shared.leftover
	reading  atomic.Bool  // see Reading

	// Owned by who has the turn.
	core     *Core
	followed viewFollower
	sent     []Input
	checks   map[netview.DPID][]chan Findings // that wait for a switch's findings
}

// New returns a loop that keeps switches as the view desires them. It takes the view's Status of its
// instance, and its Desired under the name Owner.
func New(config Config, view *netview.View) *Loop {
	config = config.withDefaults()
	if config.Now == nil {
		config.Now = time.Now
	}
	l := &Loop{
		view: view, status: view.StatusFrom(config.Instance), desired: view.Desired(Owner), config: config,
		checks: make(map[netview.DPID][]chan Findings), done: make(chan struct{}),
		core: NewCore(config), followed: viewFollower{view: view},
	}
	bell := loop.NewBell()
	l.inbox = newInbox(bell, &l.config)
	l.questions = questions{&l.config, l.inbox}
	l.Part = loop.Part{
		Name: "flowsync", Bell: bell, End: l.finish,
		Turn:    func() time.Time { return l.turn(l.config.Now()) },
		Changed: func() <-chan struct{} { return l.view.Changed(l.followed.revision) },
		Behind:  func() bool { return l.view.Snapshot().Revision() != l.followed.revision },
		Woken:   l.yield,
	}
	return l
}

// SwitchUp begins a session that is ready for flow-mods. It replaces an earlier one of the same
// switch.
func (l *Loop) SwitchUp(at Address, version openflow.Version, tables uint8, conn Conn) {
	l.inbox.up(at, version, tables, conn)
}

// SwitchDown ends a session, unless the switch has a newer one. Stuck is how the switch failed to
// answer or to read, if that ended the session, else empty.
func (l *Loop) SwitchDown(at Address, stuck string) { l.inbox.down(Down{at, stuck}) }

// Mastered reports whether this instance may write to the switch of a session; from its beginning on
// it may.
func (l *Loop) Mastered(at Address, on bool) { l.inbox.postOf(at, Mastered{at, on}) }

// Refused takes the error that refuses a message of a batch. The data of e is not kept.
func (l *Loop) Refused(at Address, batch uint64, index int, e *openflow.ErrorMsg) {
	kept := *e
	kept.Data = nil
	l.inbox.postNotice(at, inputBytes, func() Input { return Refused{at, batch, index, kept} })
}

// Removed takes a flow-removed message. Nothing of e is kept.
func (l *Loop) Removed(at Address, e *openflow.FlowRemoved) {
	if plan.Foreign(e.Cookie, l.config.Domain) {
		return
	}
	if plan.Decode(e.Cookie).Kind.Soft() && l.leftover.Load() == 0 {
		return
	}
	key := e.Match.Key()
	l.inbox.postNotice(at, inputBytes+len(key), func() Input {
		in := Removed{at, e.Table, e.Priority, key, e.Cookie, nil}
		if timedOut(e.Reason) {
			in.Last = &ruleset.Counts{Packets: e.Packets, Bytes: e.Bytes}
		}
		return in
	})
}

// promptOrders is how many orders may be sent on the goroutine of who orders; more of them are worth another.
const promptOrders = 32

// Order takes orders without waiting for a switch; it copies the list. Orders for one switch are sent in this
// order; one that supersedes another that has not been sent takes its position. Config.OnOutcomes
// gets their outcomes. Few are sent before it returns, if the loop has nothing else to do.
func (l *Loop) Order(orders []ruleset.Order) {
	if len(orders) == 0 {
		return
	}
	if l.inbox.order(orders) {
		l.Prompt()
	} else {
		l.Bell.Ring()
	}
}

// Ask runs f with the core at the end of a turn, and waits for it. It returns
// false if the loop has ended.
func (l *Loop) Ask(f func(*Core)) bool {
	asked := make(chan struct{})
	if !l.inbox.ask(func(c *Core) { f(c); close(asked) }) {
		return false
	}
	select {
	case <-asked:
		return true
	case <-l.done:
		return false
	}
}

// yield lets other sessions post the answers they are about to have, so that these become one step.
// Orders are not delayed. When the view has changed, intents go first: they may have orders because of it.
func (l *Loop) yield(rung bool) {
	if !rung || !l.inbox.ordered() {
		runtime.Gosched()
	}
}

// finish has nobody wait any more. The switches keep what they hold.
func (l *Loop) finish() {
	defer close(l.done)
	l.inbox.close()
}

// turn takes all inputs, does what follows from them, and returns when to wake.
func (l *Loop) turn(now time.Time) time.Time {
	for {
		inputs, more := l.followed.changes(l.core)
		inputs, asks := l.inbox.take(append(inputs, ViewRevision{l.followed.revision}))
		ready := l.core.Step(inputs, now)
		for sent := l.execute(ready); len(sent) > 0; sent = l.execute(ready) {
			ready = l.core.Step(sent, now)
		}
		for _, ask := range asks {
			ask(l.core)
		}
		if !more {
			return ready.Wake
		}
	}
}

// execute does what the core decided, and returns the inputs that answer it at once, valid until
// the next call.
func (l *Loop) execute(ready *Ready) []Input {
	for _, f := range ready.TreeEntries {
		if l.config.OnTreeEntries != nil {
			l.config.OnTreeEntries(f.Address, f.Entries, f.Holds)
		}
	}
	for _, a := range ready.Alarms {
		l.alarm(a)
	}
	if len(ready.Results) > 0 {
		l.status.Set(ready.Results)
	}
	if len(ready.Infrastructure) > 0 {
		l.desired.Update(func(tx *netview.DesiredTx) {
			for i := range ready.Infrastructure {
				ready.Infrastructure[i].write(tx)
			}
		})
	}
	l.deliverFindings(ready.Findings)
	for _, a := range ready.Monitors {
		l.questions.monitor(a)
	}
	for i := range ready.Readings {
		l.inbox.awaitNone(ready.Readings[i].Address) // of a batch that was given up, messages are news
		l.questions.entries(&ready.Readings[i])
	}
	for _, a := range ready.Features {
		l.questions.features(a)
	}
	l.sent = l.sent[:0]
	for i := range ready.Batches {
		l.sent = append(l.sent, l.send(&ready.Batches[i], i < promptWrites))
	}
	if len(ready.Outcomes) > 0 && l.config.OnOutcomes != nil {
		trace.At(trace.Outcomes)
		l.config.OnOutcomes(ready.Outcomes)
	}
	l.leftover.Store(int64(l.core.leftover))
	l.inbox.listedBytes.Store(int64(l.core.listedBytes))
	l.reading.Store(l.core.readQueue.busy())
	return l.sent
}

// alarm passes an alarm on.
func (l *Loop) alarm(a Alarm) {
	switch {
	case l.config.Alarms == nil:
	case a.Clear:
		l.config.Alarms.Clear(a.Kind, a.Object)
	default:
		l.config.Alarms.Raise(a.Kind, a.Object, a.Text)
	}
}

// promptWrites is how many batches of a step the loop writes to switches itself. Of more, each is given to a
// goroutine: they are worth another processor.
const promptWrites = 8

// send hands a batch to its session, and writes what the switch takes at once if prompt.
func (l *Loop) send(b *Batch, prompt bool) Sent {
	conn, a, id := l.inbox.connOf(b.Address), b.Address, b.ID
	in := Sent{Address: a}
	if conn == nil {
		return in
	}
	if prompt {
		conn.Gather()
		defer conn.Write()
	}
	if b.Count > 0 {
		l.inbox.await(a, id, b.Removals)
		if in.Frames = conn.SendFrames(id, b.Frames, b.Count) == nil; !in.Frames {
			l.inbox.awaitNone(a)
		}
	} else {
		in.Messages = send(conn, id, b.From, b.Messages)
	}
	if in.Messages == len(b.Messages) && (in.Frames || b.Count == 0) {
		in.Barrier = conn.Barrier(func(err error) {
			trace.At(trace.Barrier)
			l.inbox.confirmed(Confirmed{a, id, err})
		}) == nil
		trace.At(trace.Batch)
	}
	return in
}

// await waits for the findings of a check until ctx ends; false if the loop has ended.
func (l *Loop) await(ctx context.Context, c *RunningCheck) bool {
	for len(c.waiting) > 0 {
		select {
		case f := <-c.found:
			c.take(f)
		case <-ctx.Done():
			for dpid := range c.waiting {
				c.take(Findings{DPID: dpid, Err: errNoAnswer})
			}
		case <-l.done:
			return false
		}
	}
	return true
}
