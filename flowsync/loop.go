package flowsync

import (
	"context"
	"errors"
	"runtime"
	"sync"
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

// Loop runs a Core, which it owns exclusively from Run until Run returns. Other goroutines post
// inputs to the inbox.
type Loop struct {
	loop.Part

	view    *netview.View
	status  *netview.Status
	desired *netview.Desired
	config  Config

	mu               sync.Mutex // guards what follows
	inbox            []Input
	asks             []func(*Core)
	orders           []ruleset.Order
	sessions         map[netview.DPID]connection
	unsolicitedBytes int    // of unsolicited messages in the inbox
	packedBytes      int    // of packed listings in the inbox
	readingBytes     int    // of listings being received
	entriesBytes     int    // of listings in the inbox
	rounds           uint64 // number of turns so far
	overflowed       bool   // some connection has overflowed
	closed           bool

	done        chan struct{}
	listedBytes atomic.Int64 // Core.listedBytes
	leftover    atomic.Int64 // Core.leftover
	reading     atomic.Bool  // see Reading

	// Owned by Run.
	core         *Core
	viewRevision netview.Revision
	settled      bool
	sent         []Input
	taken        []ruleset.Order                  // the orders of this turn
	checks       map[netview.DPID][]chan Findings // that wait for a switch's findings
}

type connection struct {
	epoch            uint64
	conn             Conn
	singleTable      bool   // the single-table form of the plan
	round            uint64 // the round that unsolicitedBytes is of
	unsolicitedBytes int    // part of Loop.unsolicitedBytes
	overflowed       bool   // unsolicited messages were dropped
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
		sessions: make(map[netview.DPID]connection), checks: make(map[netview.DPID][]chan Findings),
		done: make(chan struct{}),
		core: NewCore(config),
	}
	l.Part = loop.Part{
		Name: "flowsync", Bell: loop.NewBell(), End: l.finish,
		Turn:    func() time.Time { return l.turn(l.config.Now()) },
		Changed: func() <-chan struct{} { return l.view.Changed(l.viewRevision) },
		Behind:  func() bool { return l.view.Snapshot().Revision() != l.viewRevision },
		Woken:   l.yield,
	}
	return l
}

// SwitchUp begins a session that is ready for flow-mods. It replaces an earlier one of the same
// switch.
func (l *Loop) SwitchUp(at Address, version openflow.Version, tables uint8, conn Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.sessions[at.DPID]; ok && c.epoch >= at.Epoch {
		return
	}
	l.sessions[at.DPID] = connection{epoch: at.Epoch, conn: conn, singleTable: plan.SingleTable(version, tables)}
	l.postLocked(Up{at, version, tables})
}

// SwitchDown ends a session, unless the switch has a newer one. Stuck is how the switch failed to
// answer or to read, if that ended the session, else empty.
func (l *Loop) SwitchDown(at Address, stuck string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.current(at); ok {
		delete(l.sessions, at.DPID)
		l.postLocked(Down{at, stuck})
	}
}

// Mastered reports whether this instance may write to the switch of a session; from its beginning on
// it may.
func (l *Loop) Mastered(at Address, on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.current(at); ok {
		l.postLocked(Mastered{at, on})
	}
}

// current returns the connection of a session; false if it has ended. l.mu is held.
func (l *Loop) current(at Address) (connection, bool) {
	c, ok := l.sessions[at.DPID]
	return c, ok && c.epoch == at.Epoch
}

// Refused takes the error that refuses a message of a batch. The data of e is not kept.
func (l *Loop) Refused(at Address, batch uint64, index int, e *openflow.ErrorMsg) {
	kept := *e
	kept.Data = nil
	l.postNotice(at, inputBytes, func() Input { return Refused{at, batch, index, kept} })
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
	l.postNotice(at, inputBytes+len(key), func() Input {
		return Removed{at, e.Table, e.Priority, key, e.Cookie}
	})
}

// postLocked adds an input to the inbox; l.mu is held.
func (l *Loop) postLocked(in Input) {
	if l.closed {
		return
	}
	l.inbox = append(l.inbox, in)
	l.Bell.Ring()
}

// postNotice adds an unsolicited message of a session to the inbox, unless the session has ended or
// there is no room for size more bytes.
func (l *Loop) postNotice(at Address, size int, notice func() Input) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.current(at); ok && l.admit(at.DPID, c, size) {
		l.postLocked(notice())
	}
}

// post adds an input to the inbox.
func (l *Loop) post(in Input) {
	l.mu.Lock()
	l.postLocked(in)
	l.mu.Unlock()
}

// Ask runs f with the core on the loop's goroutine, between two steps, and waits for it. It returns
// false if the loop has ended.
func (l *Loop) Ask(f func(*Core)) bool {
	asked := make(chan struct{})
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return false
	}
	l.asks = append(l.asks, func(c *Core) {
		f(c)
		close(asked)
	})
	l.Bell.Ring()
	l.mu.Unlock()
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
	if !rung {
		runtime.Gosched()
		return
	}
	l.mu.Lock()
	ordered := len(l.orders) > 0
	l.mu.Unlock()
	if !ordered {
		runtime.Gosched()
	}
}

// finish has nobody wait any more. The switches keep what they hold.
func (l *Loop) finish() {
	defer close(l.done)
	l.mu.Lock()
	l.closed, l.inbox, l.asks, l.orders = true, nil, nil, nil
	l.mu.Unlock()
}

// turn takes all inputs, does what follows from them, and returns when to wake.
func (l *Loop) turn(now time.Time) time.Time {
	for {
		inputs, more := l.viewChanges()
		l.mu.Lock()
		inputs = append(append(inputs, ViewRevision{l.viewRevision}), l.inbox...)
		inputs = l.takeOverflows(inputs)
		if orders := l.takeOrders(); len(orders) > 0 {
			inputs = append(inputs, Orders{orders})
		}
		asks := l.asks
		l.inbox, l.asks = nil, nil
		l.mu.Unlock()
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
			l.config.OnTreeEntries(f.Address, f.Entries)
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
		l.requestMonitor(a)
	}
	for i := range ready.Readings {
		l.requestEntries(&ready.Readings[i])
	}
	for _, a := range ready.MeterReadings {
		l.requestMeters(a)
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
	l.listedBytes.Store(int64(l.core.listedBytes))
	l.reading.Store(len(l.core.readQueue)+l.core.readRules > 0 || !l.core.holdUntil.IsZero())
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

// connOf returns the connection of a session, nil if it has ended.
func (l *Loop) connOf(a Address) Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.current(a); ok {
		return c.conn
	}
	return nil
}

func (l *Loop) requestMeters(a Address) {
	l.request(a, &openflow.MeterConfigRequest{Meter: openflow.MeterAll}, func(body openflow.ReplyBody, err error) {
		in := Meters{Address: a, Err: err}
		if list, ok := body.(*openflow.MeterConfigList); ok && err == nil {
			in.Held = metersOf(list.Meters)
		}
		l.post(in)
	})
}

// request sends a multipart request to a session that has not ended; answer is called once, also if
// the session does not take the request.
func (l *Loop) request(a Address, body openflow.RequestBody, answer func(openflow.ReplyBody, error)) {
	if conn := l.connOf(a); conn != nil {
		if err := conn.Multipart(body, answer); err != nil {
			answer(nil, err)
		}
	}
}

// promptWrites is how many batches of a step the loop writes to switches itself. Of more, each is given to a
// goroutine: they are worth another processor.
const promptWrites = 8

// send hands a batch to its session, and writes what the switch takes at once if prompt.
func (l *Loop) send(b *Batch, prompt bool) Sent {
	conn, a, id := l.connOf(b.Address), b.Address, b.ID
	in := Sent{Address: a}
	if conn == nil {
		return in
	}
	if prompt {
		conn.Gather()
		defer conn.Write()
	}
	if b.Count > 0 {
		in.Frames = conn.SendFrames(id, b.Frames, b.Count) == nil
	} else {
		in.Messages = send(conn, id, b.From, b.Messages)
	}
	if in.Messages == len(b.Messages) && (in.Frames || b.Count == 0) {
		in.Barrier = conn.Barrier(func(err error) {
			trace.At(trace.Barrier)
			l.post(Confirmed{a, id, err})
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
