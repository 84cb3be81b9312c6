package flowsync

import (
	"fmt"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// flight is a batch that is under way: all that is not confirmed yet.
type flight struct {
	id       uint64
	at       time.Time // when the barrier left
	ops      []op
	messages []openflow.Message
	programs *programFlight // if it is a batch of flow-mods of programs: then there are no ops
	frames   []byte         // those flow-mods, until they are sent
	sent     int            // of messages, or of programs.ops
	missed   bool           // errors of the switch were dropped
}

// size is how many messages there are.
func (f *flight) size() int {
	if f.programs != nil {
		return len(f.programs.ops)
	}
	return len(f.ops)
}

// op is one message of a batch and what it is for: a rule, a removal (rule is nil) or a meter.
type op struct {
	row          *row
	rule         *netview.Rule
	instructions []openflow.Instruction // of rule, perhaps without its meter
	meter        *meterRow
	wanted       *netview.Meter // nil: the meter is to be removed
	xid          uint32
	refused      *openflow.ErrorMsg
	lostBy       Source // who told, if lost
	lost         bool   // the switch lost the entry: perhaps the one that is added, perhaps the one before
}

// lose notes that the switch lost a row's entry, if it is being added.
func (f *flight) lose(w *row, s Source) {
	for i := range f.ops {
		if o := &f.ops[i]; o.row == w && o.rule != nil {
			o.lost, o.lostBy = true, s
		}
	}
}

// addition is the flow-mod for a rule. Its match is the canonical one, with all prerequisites. The switch tells when
// it loses the entry, so that it can be repaired.
func addition(key entryKey, r *netview.Rule, instructions []openflow.Instruction) *openflow.FlowMod {
	return &openflow.FlowMod{
		Command: openflow.FlowAdd, Cookie: r.Cookie, Table: r.Table, Priority: r.Priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Flags: openflow.FlagSendFlowRemoved, Match: openflow.Match{OXM: []byte(key.match)}, Instructions: instructions,
	}
}

// removal is the flow-mod that removes one entry; byCookie says that it may be restricted to cookies.
func removal(w *row, byCookie bool) *openflow.FlowMod {
	m := &openflow.FlowMod{
		Command: openflow.FlowDeleteStrict, Cookie: w.cookie, Table: w.key.table, Priority: w.key.priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Match: w.match,
	}
	if byCookie {
		m.CookieMask = w.mask
	}
	return m
}

// drain makes the next batch from what has changed, if none is under way. What turns out to be as wanted is only
// reported.
func (c *Core) drain(l *ledger, now time.Time) {
	if l.phase != phaseReady || l.flight != nil || c.drainMeters(l, now) {
		return
	}
	var f *flight
	n := 0
	for ; n < len(l.queue) && (f == nil || len(f.ops) < l.batch); n++ {
		w := l.queue[n]
		if w.state = rowIdle; l.rows[w.key] != w {
			continue
		}
		if o, m := c.nextFor(l, w, now); m != nil {
			if f == nil {
				f = &flight{}
			}
			w.state = rowFlying
			c.moved(l, w)
			f.ops = append(f.ops, o)
			f.messages = append(f.messages, m)
		}
	}
	rest := copy(l.queue, l.queue[n:])
	clear(l.queue[rest:])
	l.queue = l.queue[:rest]
	if f == nil {
		f = c.drainPrograms(l, now)
	}
	if f == nil {
		f = l.dropMeters()
	}
	c.take(l, f, now)
}

// nextFor is what has to be sent for a row, nil if nothing.
func (c *Core) nextFor(l *ledger, w *row, now time.Time) (op, openflow.Message) {
	if w.rule == nil {
		if !w.held || l.foreign[w.key] != nil { // another's entry took the place of ours
			delete(l.rows, w.key)
			return op{}, nil
		}
		return op{row: w}, removal(w, l.byCookie)
	}
	if c.form(l, w); w.unsaid != "" {
		c.tell(w, verdict{netview.RuleFailed, w.unsaid})
		return op{}, nil
	}
	w.blocked = false
	if e := l.foreign[w.key]; e != nil && !w.ours {
		w.blocked = true
		c.tell(w, verdict{netview.RuleFailed, fmt.Sprintf("a foreign entry with cookie 0x%x stands in its place", e.Cookie)})
		l.auditBy(now.Add(c.config.RetryMax))
		return op{}, nil
	}
	instructions := l.instructionsOf(w)
	if c.holds(l, w, instructions) {
		c.installed(l, w, w.rule, instructions)
		return op{}, nil
	}
	c.tell(w, c.waiting(l, w))
	return op{row: w, rule: w.rule, instructions: instructions}, addition(w.key, w.rule, instructions)
}

// instructionsOf are the instructions of a row's rule, without the meter if the switch has refused that.
func (l *ledger) instructionsOf(w *row) []openflow.Instruction {
	if id := meterOf(w.rule.Instructions); id != 0 && (w.unmetered || l.meters.refused(id) != "") {
		return withoutMeter(w.rule.Instructions)
	}
	return w.rule.Instructions
}

// installed notes that the switch holds a rule with these instructions.
func (c *Core) installed(l *ledger, w *row, r *netview.Rule, instructions []openflow.Instruction) {
	w.held, w.known, w.on, w.ours = true, true, content{r.Cookie, instructions}, true
	l.displaced(w.key)
	w.fails, w.retryAt = 0, time.Time{}
	reason := ""
	if id := meterOf(r.Instructions); id != 0 && meterOf(instructions) == 0 {
		reason = fmt.Sprintf("without meter %d, which the switch refused", id)
		if why := l.meters.refused(id); why != "" {
			reason += ": " + why
		}
	}
	c.tell(w, verdict{netview.RuleInstalled, reason})
}

// displaced notes that an entry of ours took the place of another's, if one was there.
func (l *ledger) displaced(key entryKey) {
	if l.foreign[key] != nil {
		l.unjudge()
		delete(l.foreign, key)
	}
}

// take begins a batch.
func (c *Core) take(l *ledger, f *flight, now time.Time) {
	if f == nil {
		return
	}
	c.batches++
	f.id = c.batches
	l.flight = f
	l.answerBy = now.Add(c.config.Answer)
	c.hand(l)
}

// hand gives the loop what is left of the batch under way.
func (c *Core) hand(l *ledger) {
	l.resendAt = time.Time{}
	f := l.flight
	b := Batch{Address: Address{l.dpid, l.session}, ID: f.id, Frames: f.frames}
	if f.programs == nil {
		b.Messages = f.messages[f.sent:]
	} else if f.frames != nil {
		b.Count, f.frames = f.size(), nil
	}
	c.ready.Batches = append(c.ready.Batches, b)
}
