package stats

import (
	"errors"
	"sync"
	"time"

	"github.com/weirnet/weir/loop"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// Loop runs a core: it owns it, alone, from Run until Run returns. Sessions' readers leave inputs
// in the inbox; answers are taken with the next slot, so that those of many switches cost one
// wake-up. The inbox is bounded: a session has one question at a time.
type Loop struct {
	loop.Part

	now    func() time.Time
	board  Board
	domain uint16
	counts *Counts

	mu      sync.Mutex // guards what follows
	inbox   []Input
	current map[netview.DPID]connection
	wanted  map[Wanted]bool // for what somebody waits
	over    bool

	// Owned by Run.
	core      *Core
	took      []Input
	onTenants func(*TenantCounters)
}

type connection struct {
	epoch uint64
	conn  Conn
}

// New returns a loop that asks no switch before Run.
func New(cfg Config) *Loop {
	core := NewCore(cfg)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	l := &Loop{now: cfg.Now, core: core, counts: core.counts, domain: core.cfg.Domain,
		current: make(map[netview.DPID]connection), wanted: make(map[Wanted]bool)}
	l.Part = loop.Part{Name: "statistics", Bell: loop.NewBell(), Lazy: true, End: l.finish,
		Turn: func() time.Time { return l.turn(l.now()) }}
	return l
}

// Board has the newest samples.
func (l *Loop) Board() *Board { return &l.board }

// Counts are what was asked and answered.
func (l *Loop) Counts() *Counts { return l.counts }

// SwitchUp adds a session that is ready for requests. It takes the place of an earlier one of
// the same switch.
func (l *Loop) SwitchUp(at Address, version openflow.Version, conn Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current[at.DPID].epoch >= at.Epoch {
		return
	}
	l.current[at.DPID] = connection{at.Epoch, conn}
	l.postLocked(Up{at, version})
	l.Bell.Ring()
}

// SwitchDown ends a session. If the switch has another one by now, that stays.
func (l *Loop) SwitchDown(at Address) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c, ok := l.current[at.DPID]; ok && c.epoch == at.Epoch {
		delete(l.current, at.DPID)
		l.postLocked(Down{at})
	}
}

// Forget drops the samples of a switch that has no session, with the next turn.
func (l *Loop) Forget(dpid netview.DPID) {
	l.post(Forgotten{dpid})
	l.Bell.Ring()
}

// OnTenants has f be called, on the loop's goroutine, with what becomes of each Want. It is called before Run.
func (l *Loop) OnTenants(f func(*TenantCounters)) { l.onTenants = f }

// Want has a switch be asked for the counters of a kind, as soon as its pace allows, once for all who want them. It does not
// wait.
func (l *Loop) Want(dpid netview.DPID, k Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w := (Wanted{dpid, k}); !l.wanted[w] && !l.over {
		l.wanted[w] = true
		l.postLocked(w)
		l.Bell.Ring()
	}
}

// post leaves an input for the next turn.
func (l *Loop) post(in Input) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.postLocked(in)
}

// postLocked is post while l.mu is held.
func (l *Loop) postLocked(in Input) {
	if !l.over {
		l.inbox = append(l.inbox, in)
	}
}

func (l *Loop) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over, l.inbox = true, nil
}

// turn takes all that has happened, does what follows from it, and returns when to wake.
func (l *Loop) turn(now time.Time) time.Time {
	l.mu.Lock()
	l.took, l.inbox = l.inbox, l.took[:0]
	l.mu.Unlock()
	ready := l.core.Step(l.took, now)
	clear(l.took)
	for _, s := range ready.News {
		l.board.put(s)
	}
	for _, dpid := range ready.Gone {
		l.board.remove(dpid)
	}
	for _, t := range ready.Tenants {
		l.told(t)
	}
	for i := range ready.Questions {
		l.ask(ready.Questions[i])
	}
	return ready.Wake
}

// told tells of counters that somebody wants.
func (l *Loop) told(t *TenantCounters) {
	if !errors.Is(t.Err, ErrLater) {
		l.mu.Lock()
		delete(l.wanted, Wanted{t.DPID, t.Kind})
		l.mu.Unlock()
	}
	if l.onTenants != nil {
		l.onTenants(t)
	}
}

// ask asks a switch. It is answered even if it cannot be asked.
func (l *Loop) ask(q Question) {
	l.mu.Lock()
	c := l.current[q.DPID]
	l.mu.Unlock()
	if c.conn == nil || c.epoch != q.Epoch {
		return // its Down is in the inbox
	}
	err := ErrBusy
	switch {
	case c.conn.Queue() > queueMax:
	case q.Kind == KindTenants:
		r := &tenantReader{domain: l.domain}
		err = c.conn.MultipartParts(q.body(l.domain), r.part, func(err error) {
			l.post(Answer{Address: q.Address, At: l.now(), Tenants: &r.flows, Err: err})
			l.Bell.Ring() // somebody waits
		})
	default:
		err = c.conn.Multipart(q.body(l.domain), func(body openflow.ReplyBody, err error) { l.answer(q.Address, body, err) })
	}
	if err != nil {
		l.answer(q.Address, nil, err)
	}
}

// answer leaves an answer for the next turn, which is at once if somebody waits to ask the switch.
func (l *Loop) answer(a Address, body openflow.ReplyBody, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.postLocked(Answer{Address: a, At: l.now(), Body: body, Err: err})
	for k := KindTenants; k < kinds; k++ {
		if l.wanted[Wanted{a.DPID, k}] {
			l.Bell.Ring()
		}
	}
}
