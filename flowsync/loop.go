package flowsync

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// changesAtOnce is how many changes of the view go into one step, about.
const changesAtOnce = 4096

// errAnswer is given to the core where a switch answered with the wrong kind of body.
var errAnswer = errors.New("flowsync: the answer is of another kind than the request")

// Loop runs a core: it owns it, alone, from Run until Run returns. Other goroutines leave inputs in the inbox.
type Loop struct {
	view   *netview.View
	status *netview.Status
	wanted *netview.Wanted
	config Config

	mu      sync.Mutex // guards what follows
	inbox   []Input
	asks    []func(*Core)
	orders  []Order
	current map[netview.DPID]connection
	last    uint64 // session
	held    int    // bytes in the inbox of what switches told unasked
	listing int    // bytes in the inbox of what switches list
	turns   uint64 // of the loop
	missed  bool   // a connection has missed something
	over    bool

	wake    chan struct{} // holds one token while the inbox may have something
	done    chan struct{}
	pulse   atomic.Uint64 // turns that Run has done
	adopted atomic.Int64  // soft entries of an earlier life, all switches'
	reading atomic.Bool   // Reading

	// Owned by Run.
	core    *Core
	seen    netview.Revision
	settled bool
	xids    []uint32
	taken   []Order                          // the orders of this turn
	checks  map[netview.DPID][]chan Findings // that wait for a switch's
}

type connection struct {
	session uint64
	conn    Conn
	single  bool   // the single-table form of the plan
	turn    uint64 // in which held counts
	held    int    // of Loop.held
	missed  bool   // something that the switch told unasked was dropped
}

// New returns a loop that keeps switches as the view wants them. It takes the view's Status, and Wanted under the name of
// Owner.
func New(config Config, view *netview.View) *Loop {
	config = config.withDefaults()
	if config.Now == nil {
		config.Now = time.Now
	}
	return &Loop{
		view: view, status: view.Status(), wanted: view.Wanted(Owner), config: config,
		current: make(map[netview.DPID]connection), checks: make(map[netview.DPID][]chan Findings),
		wake: make(chan struct{}, 1), done: make(chan struct{}),
		core: NewCore(config),
	}
}

// SwitchUp tells of a session that is ready for flow-mods. It takes the place of an earlier one of the same switch.
func (l *Loop) SwitchUp(dpid netview.DPID, version openflow.Version, tables uint8, conn Conn) {
	l.mu.Lock()
	l.last++
	l.current[dpid] = connection{session: l.last, conn: conn, single: plan.SingleTable(version, tables)}
	l.put(Up{dpid, l.last, version, tables})
	l.mu.Unlock()
}

// SwitchDown tells of the end of a session. If the switch has another one by now, that stays. Stuck, if not empty, says that the switch answered
// nothing, or read nothing, and how.
func (l *Loop) SwitchDown(dpid netview.DPID, conn Conn, stuck string) {
	l.mu.Lock()
	if c, ok := l.current[dpid]; ok && c.conn == conn {
		delete(l.current, dpid)
		l.put(Down{dpid, c.session, stuck})
	}
	l.mu.Unlock()
}

// Refused hands over an error that answers no request of the session's: flowsync finds the message that it refuses. The
// data of e is not kept.
func (l *Loop) Refused(dpid netview.DPID, conn Conn, xid uint32, e *openflow.ErrorMsg) {
	kept := *e
	kept.Data = nil
	l.mu.Lock()
	if c, ok := l.current[dpid]; ok && c.conn == conn && l.admit(dpid, c, inputBytes) {
		l.put(Refused{dpid, c.session, xid, kept})
	}
	l.mu.Unlock()
}

// Removed hands over the news that a switch lost an entry. What e points to is not kept.
func (l *Loop) Removed(dpid netview.DPID, conn Conn, e *openflow.FlowRemoved) {
	if plan.Foreign(e.Cookie, l.config.Domain) {
		return
	}
	if plan.Decode(e.Cookie).Kind.Soft() && l.adopted.Load() == 0 {
		return
	}
	key := e.Match.Key()
	l.mu.Lock()
	if c, ok := l.current[dpid]; ok && c.conn == conn && l.admit(dpid, c, inputBytes+len(key)) {
		l.put(Removed{dpid, c.session, e.Table, e.Priority, key, e.Cookie})
	}
	l.mu.Unlock()
}

// put leaves an input for the loop; l.mu is held.
func (l *Loop) put(in Input) {
	if l.over {
		return
	}
	l.inbox = append(l.inbox, in)
	l.ring()
}

func (l *Loop) ring() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// answer leaves an input that answers the core.
func (l *Loop) answer(in Input) {
	l.mu.Lock()
	l.put(in)
	l.mu.Unlock()
}

// Ask has f called with the core by the loop's goroutine, between two steps, and waits for it. It returns false if the
// loop is over.
func (l *Loop) Ask(f func(*Core)) bool {
	asked := make(chan struct{})
	l.mu.Lock()
	if l.over {
		l.mu.Unlock()
		return false
	}
	l.asks = append(l.asks, func(c *Core) {
		f(c)
		close(asked)
	})
	l.ring()
	l.mu.Unlock()
	select {
	case <-asked:
		return true
	case <-l.done:
		return false
	}
}

// Run runs the loop until the context ends. The switches keep what they hold.
func (l *Loop) Run(ctx context.Context) {
	defer close(l.done)
	defer l.finish()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		wake := l.turn(l.config.Now())
		l.pulse.Add(1)
		var alarm <-chan time.Time
		if !wake.IsZero() {
			timer.Reset(time.Until(wake))
			alarm = timer.C
		}
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
			l.gather()
		case <-l.view.Changed(l.seen):
		case <-alarm:
		}
	}
}

// Pulse has Run do a turn soon, and returns how many it has done: who asks again and again sees whether it hangs. It never blocks.
func (l *Loop) Pulse() uint64 {
	l.ring()
	return l.pulse.Load()
}

// gather lets other sessions hand over answers that they are about to have, so that these are one step. Orders are not kept waiting.
func (l *Loop) gather() {
	l.mu.Lock()
	ordered := len(l.orders) > 0
	l.mu.Unlock()
	if !ordered {
		runtime.Gosched()
	}
}

// Turn is one round of Run, for who steps a loop that does not run: at any time, and when Waiting says so or the time of the last
// call has come, which is zero for never.
func (l *Loop) Turn() (next time.Time) {
	select {
	case <-l.wake:
	default:
	}
	return l.turn(l.config.Now())
}

// Waiting says whether something has come that Turn would handle.
func (l *Loop) Waiting() bool { return len(l.wake) > 0 || l.view.Snapshot().Revision() != l.seen }

func (l *Loop) finish() {
	l.mu.Lock()
	l.over, l.inbox, l.asks, l.orders = true, nil, nil, nil
	l.mu.Unlock()
}

// turn takes all that has happened, does all that follows from it at once, and returns when to wake.
func (l *Loop) turn(now time.Time) time.Time {
	for {
		inputs, more := l.changes()
		l.mu.Lock()
		inputs = append(append(inputs, Seen{l.seen}), l.inbox...)
		inputs = l.caughtUp(inputs)
		if orders := l.takeOrders(); len(orders) > 0 {
			inputs = append(inputs, Orders{orders})
		}
		asks := l.asks
		l.inbox, l.asks = nil, nil
		l.mu.Unlock()
		ready := l.core.Step(inputs, now)
		for sent := l.do(ready); len(sent) > 0; sent = l.do(ready) {
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

// do does what the core says, and returns what it has to know of it at once.
func (l *Loop) do(ready *Ready) (sent []Input) {
	for _, f := range ready.Found {
		if l.config.Found != nil {
			l.config.Found(f.DPID, f.Entries)
		}
	}
	for _, a := range ready.Alarms {
		l.alarm(a)
	}
	if len(ready.Results) > 0 {
		l.status.Set(ready.Results)
	}
	if len(ready.Outcomes) > 0 && l.config.Told != nil {
		l.config.Told(ready.Outcomes)
	}
	if len(ready.Own) > 0 {
		l.wanted.Update(func(tx *netview.WantedTx) {
			for _, own := range ready.Own {
				tx.Set(own.DPID, own.Rules)
			}
		})
	}
	l.tellChecks(ready.Findings)
	for _, a := range ready.Monitors {
		l.monitor(a)
	}
	for i := range ready.Readings {
		l.read(&ready.Readings[i])
	}
	for _, a := range ready.MeterReadings {
		l.readMeters(a)
	}
	l.xids = l.xids[:0]
	for i := range ready.Batches {
		sent = append(sent, l.send(&ready.Batches[i]))
	}
	l.adopted.Store(int64(l.core.adopted))
	l.reading.Store(len(l.core.unread)+l.core.reading > 0 || !l.core.heldUntil.IsZero())
	return sent
}

// alarm hands an alarm on.
func (l *Loop) alarm(a Alarm) {
	switch {
	case l.config.Alarms == nil:
	case a.Clear:
		l.config.Alarms.Clear(a.Kind, a.Object)
	default:
		l.config.Alarms.Raise(a.Kind, a.Object, a.Text)
	}
}

// connOf is the connection of a session, nil if it has ended.
func (l *Loop) connOf(a Address) Conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.current[a.DPID]; c.session == a.Session {
		return c.conn
	}
	return nil
}

func (l *Loop) readMeters(a Address) {
	conn := l.connOf(a)
	if conn == nil {
		return
	}
	err := conn.Multipart(&openflow.MeterConfigRequest{Meter: openflow.MeterAll}, func(body openflow.ReplyBody, err error) {
		in := Meters{DPID: a.DPID, Session: a.Session, Err: err}
		if list, ok := body.(*openflow.MeterConfigList); ok && err == nil {
			in.Held = metersOf(list.Meters)
		}
		l.answer(in)
	})
	if err != nil {
		l.answer(Meters{DPID: a.DPID, Session: a.Session, Err: err})
	}
}

// send hands a batch to its session.
func (l *Loop) send(b *Batch) Sent {
	conn, a, id := l.connOf(b.Address), b.Address, b.ID
	in := Sent{DPID: a.DPID, Session: a.Session}
	if conn == nil {
		return in
	}
	begin := len(l.xids)
	if b.Count > 0 {
		first, err := conn.SendFrames(b.Frames, b.Count)
		in.First, in.Frames = first, err == nil
	} else {
		l.xids = send(conn, b.Messages, l.xids)
	}
	in.XIDs = l.xids[begin:len(l.xids):len(l.xids)]
	if len(in.XIDs) == len(b.Messages) && (in.Frames || b.Count == 0) {
		err := conn.Barrier(func(err error) { l.answer(Confirmed{a.DPID, a.Session, id, err}) })
		in.Barrier = err == nil
	}
	return in
}

// collect waits for the findings of switches, and until ctx ends; false if the loop is over.
func (l *Loop) collect(ctx context.Context, found <-chan Findings, waiting map[netview.DPID]bool) (list []Findings, ok bool) {
	for len(waiting) > 0 {
		select {
		case f := <-found:
			delete(waiting, f.DPID)
			list = append(list, f)
		case <-ctx.Done():
			for dpid := range waiting {
				list = append(list, Findings{DPID: dpid, Err: errNoAnswer})
			}
			return list, true
		case <-l.done:
			return list, false
		}
	}
	return list, true
}
