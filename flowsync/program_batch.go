package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
	"github.com/weirnet/weir/program"
)

// programFlight is what a batch of flow-mods of programs is for; its memory is used again by the next batch. The transaction ids are
// first, first+1 and so on, in the order of ops.
type programFlight struct {
	ops     []programOp
	first   uint32
	refused map[uint32]openflow.ErrorMsg // by number in ops
	lost    map[uint32]Source            // by row: who told that the switch lost the entry that is added
}

// programOp is one flow-mod: what was sent, for which row.
type programOp struct {
	program *program.Program
	row     uint32
	rule    uint16
	adds    bool
	held    bool // the switch may have held an entry in the place before
}

// framesKept is for how many bytes of encoded flow-mods memory is kept.
const framesKept = 8 << 20

// drainPrograms makes the next batch of the flow-mods that programs need, nil if there are none.
func (c *Core) drainPrograms(l *ledger, now time.Time) *flight {
	p := l.programs
	if p == nil || len(p.queue) == 0 || !l.resendAt.IsZero() {
		return nil
	}
	f := &p.flights
	f.ops = f.ops[:0]
	clear(f.refused)
	clear(f.lost)
	start, n := len(c.frames), 0
	for ; n < len(p.queue) && len(f.ops) < l.batch; n++ {
		i := p.queue[n]
		p.rows[i].flags &^= rowWaits
		if adds, ok := c.nextForRule(l, i, now); ok {
			r := &p.rows[i]
			f.ops = append(f.ops, programOp{r.program, i, r.rule, adds, r.flags&rowHeld != 0})
			p.set(i, rowFlies|rowMoved, rowSure)
			if adds {
				p.set(i, rowAdds, 0)
			}
		}
	}
	rest := copy(p.queue, p.queue[n:])
	p.queue = p.queue[:rest]
	if len(f.ops) == 0 {
		return nil
	}
	return &flight{programs: f, frames: c.frames[start:len(c.frames):len(c.frames)]}
}

// nextForRule encodes what has to be sent for a row; ok is false if nothing has.
func (c *Core) nextForRule(l *ledger, i uint32, now time.Time) (adds, ok bool) {
	p := l.programs
	r := &p.rows[i]
	m := &c.mod
	switch {
	case r.flags&rowWanted != 0 && r.flags&rowSure != 0 && !c.doubtedRule(l, i):
		c.told(l, i)
		return false, false
	case r.flags&rowWanted != 0:
		r.program.FlowMod(int(r.rule), c.config.Domain, l.single, m)
		if why := c.unfit(l, r, m); why != "" {
			c.refuseRow(l, i, &openflow.ErrorMsg{}, why, now)
			return false, false
		}
	case r.flags&rowHeld == 0:
		c.endGone(l, i)
		return false, false
	case r.flags&(rowRemoval|rowGoing) == 0: // an entry that nobody wants stays until prune has it go
		return false, false
	default:
		r.program.Removal(int(r.rule), c.config.Domain, l.single, l.byCookie, m)
		if r.flags&rowAlien != 0 {
			m.Cookie, m.CookieMask = m.Cookie&plan.KindMask, m.CookieMask&plan.KindMask
		}
		if c.unsayable(l, m) != "" { // so the switch cannot hold it
			c.endGone(l, i)
			return false, false
		}
	}
	frames, err := openflow.Append(c.frames, l.version, 0, m)
	if err != nil {
		c.refuseRow(l, i, &openflow.ErrorMsg{}, err.Error(), now)
		return false, false
	}
	c.frames = frames
	return r.flags&rowWanted != 0, true
}

// unfit says why a rule is not sent at all, "" if it is.
func (c *Core) unfit(l *ledger, r *programRow, m *openflow.FlowMod) string {
	if len(l.foreign) > 0 && r.flags&rowOurs == 0 {
		if e := l.foreign[r.place().key(m.Table)]; e != nil {
			return fmt.Sprintf("a foreign entry with cookie 0x%x stands in its place", e.Cookie)
		}
	}
	return c.unsayable(l, m)
}

// endGone ends a row whose entry the switch does not hold and nobody wants.
func (c *Core) endGone(l *ledger, i uint32) {
	if r := &l.programs.rows[i]; r.flags&rowRemoval != 0 {
		c.outcome(r.program, r.rule, OrderRemoved)
	}
	l.endRow(i)
}

// refuseRow ends what is wanted of a row: the switch does not take it. What it held before, if it did, is wanted by nobody now.
func (c *Core) refuseRow(l *ledger, i uint32, e *openflow.ErrorMsg, reason string, now time.Time) {
	p := l.programs
	r := &p.rows[i]
	c.refuse(r.program, r.rule, e.Code, reason)
	if e.Code == openflow.FlowModFailedTableFull && !p.full {
		p.full = true
		c.raise(netview.AlarmTableFull, l.dpid, "refuses rules of intents: its table is full")
	}
	if r.flags&rowHeld == 0 {
		l.endRow(i)
		return
	}
	p.set(i, 0, rowWanted|rowSure|rowTold|rowOurs)
	p.stale(now.Add(c.config.Grace))
}

// sentPrograms notes that a batch has left, or that it did not fit: then its rows wait again.
func (c *Core) sentPrograms(l *ledger, in Sent) {
	f, p := l.flight, l.programs
	switch {
	case f.sent > 0: // only the barrier was missing
	case in.Frames:
		f.sent, f.programs.first = len(f.programs.ops), in.First
		c.counters.FlowMods += uint64(f.sent)
		for i := range f.programs.ops {
			if o := &f.programs.ops[i]; o.adds {
				p.set(o.row, rowHeld, 0)
			}
		}
	default:
		l.flight, l.answerBy = nil, time.Time{}
		l.batch = max(c.config.BatchMin, l.batch/2)
		p.unsend()
	}
}

// unsend puts the rows of the batch under way in front of the queue.
func (p *programs) unsend() {
	ops := p.flights.ops
	n := len(p.queue)
	for range ops {
		p.queue = append(p.queue, 0)
	}
	copy(p.queue[len(ops):], p.queue[:n])
	for i := range ops {
		p.queue[i] = ops[i].row
		p.set(ops[i].row, rowWaits, rowFlies|rowAdds)
	}
}

// giveUp ends a batch of which it is not known what became of it.
func (p *programs) giveUp() {
	for i := range p.flights.ops {
		p.set(p.flights.ops[i].row, rowHeld, rowFlies|rowAdds|rowSure)
	}
}

// refusedRule notes an error against the flow-mod that it answers.
func (f *programFlight) refusedRule(xid uint32, e *openflow.ErrorMsg) bool {
	i := xid - f.first
	if i >= uint32(len(f.ops)) {
		return false
	}
	if f.refused == nil {
		f.refused = make(map[uint32]openflow.ErrorMsg)
	}
	if _, twice := f.refused[i]; !twice {
		f.refused[i] = *e // the loop has cut its data off
	}
	return true
}

// loseRule notes that the switch lost the entry of a row, if it is being added.
func (p *programs) loseRule(row uint32, s Source) {
	if p.rows[row].flags&rowAdds == 0 {
		return
	}
	f := &p.flights
	if f.lost == nil {
		f.lost = make(map[uint32]Source)
	}
	f.lost[row] = s
}

// endPrograms ends a batch that the barrier has confirmed: all in it that was not refused has been done.
func (c *Core) endPrograms(l *ledger, f *programFlight, now time.Time) {
	added := false
	for i := range f.ops {
		o := &f.ops[i]
		var e *openflow.ErrorMsg
		if len(f.refused) > 0 {
			if msg, ok := f.refused[uint32(i)]; ok {
				e = &msg
			}
		}
		l.programs.set(o.row, rowMoved, rowFlies|rowAdds)
		if o.adds {
			added = added || e == nil
			c.endRule(l, f, o, e, now)
		} else {
			c.endRuleRemoval(l, o, e, now)
		}
	}
	if l.programs.full && added {
		l.programs.full = false
		c.clear(netview.AlarmTableFull, l.dpid)
	}
}

// endRule takes the end of a flow-mod that added a rule.
func (c *Core) endRule(l *ledger, f *programFlight, o *programOp, e *openflow.ErrorMsg, now time.Time) {
	p := l.programs
	r := &p.rows[o.row]
	wanted := r.flags&rowWanted != 0 && same(r.program, r.rule, o.program, o.rule)
	by, lost := Source(0), false
	if len(f.lost) > 0 {
		by, lost = f.lost[o.row]
	}
	if e == nil && !lost {
		p.set(o.row, rowOurs|rowHeld, 0)
		l.displacedBy(r)
	}
	switch {
	case e != nil && wanted:
		p.heldIs(o.row, o.held)
		c.refuseRow(l, o.row, e, reasonOf(e, l.version), now)
	case e != nil:
		p.heldIs(o.row, o.held)
		l.wait(o.row)
	case lost && wanted:
		p.heldIs(o.row, true) // it may have been changed, and be there
		c.driftRule(l, o.row, by, now)
	case lost || !wanted:
		l.wait(o.row)
	case c.doubtedRule(l, o.row):
		p.set(o.row, rowSure, 0)
		l.auditBy(now.Add(c.config.RetryFirst))
	default:
		c.told(l, o.row)
	}
}

// heldIs sets whether the switch may hold an entry in a row's place.
func (p *programs) heldIs(i uint32, held bool) {
	if held {
		p.set(i, rowHeld, rowSure)
	} else {
		p.set(i, 0, rowHeld|rowSure|rowAlien)
	}
}

// endRuleRemoval takes the end of a flow-mod that removed an entry.
func (c *Core) endRuleRemoval(l *ledger, o *programOp, e *openflow.ErrorMsg, now time.Time) {
	p := l.programs
	if e == nil {
		p.heldIs(o.row, false)
	}
	switch r := &p.rows[o.row]; {
	case r.flags&rowWanted != 0:
		l.wait(o.row)
	case e != nil:
		t := p.troubled(o.row)
		t.fails++
		p.retry(o.row, t, now.Add(c.config.backoff(t.fails)))
	default:
		c.endGone(l, o.row)
	}
}
