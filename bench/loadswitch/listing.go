package loadswitch

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// listing collects entries for answers, as many at a time as fit into one. The memory of those of
// paths is used again.
type listing struct {
	flushTo  func([]openflow.FlowStats)
	maxBytes int // bytes of one answer, about
	size     int
	flows    []openflow.FlowStats
	oxm      []byte
	acts     []openflow.Action
	ins      []openflow.Instruction
}

// add adds an entry, whose match and instructions stay as they are until the next flush.
func (l *listing) add(e *openflow.FlowStats) {
	l.room(entryLen(e))
	l.flows = append(l.flows, *e)
}

// room makes room for an entry of so many bytes.
func (l *listing) room(n int) {
	if l.size += n; l.size > l.maxBytes {
		l.flush()
		l.size = n
	}
}

// entryLen is about how long an entry is in an answer, at least.
func entryLen(e *openflow.FlowStats) int {
	n := 96 + len(e.Match.OXM)
	for i := range e.Instructions {
		n += 16 + 16*len(e.Instructions[i].Actions)
		for j := range e.Instructions[i].Actions {
			n += len(e.Instructions[i].Actions[j].Data)
		}
	}
	return n
}

// flush hands over what there is, if there is anything.
func (l *listing) flush() {
	if len(l.flows) > 0 {
		l.flushTo(l.flows)
	}
	l.flows, l.size = l.flows[:0], 0
	l.oxm, l.acts, l.ins = l.oxm[:0], l.acts[:0], l.ins[:0]
}

// pathLen is about how long the entry of a path is in an answer.
const pathLen = 128

// path adds the entry of a path. Slices that were handed out stay valid if the memory behind them
// grows.
func (l *listing) path(p *pathEntry, now time.Duration) {
	l.room(pathLen)
	age := now - time.Duration(p.at)
	o, a, i := len(l.oxm), len(l.acts), len(l.ins)
	l.oxm = p.appendOXM(l.oxm)
	l.acts = append(l.acts, openflow.Output(uint32(p.out)))
	l.ins = append(l.ins, openflow.Apply(l.acts[a:a+1]...))
	l.flows = append(l.flows,
		openflow.FlowStats{Table: p.table, Priority: p.priority, Flags: openflow.FlowFlags(p.flags), Cookie: p.cookie,
			DurationSec: uint32(age / time.Second), DurationNsec: uint32(age % time.Second),
			Match: openflow.Match{OXM: l.oxm[o:]}, Instructions: l.ins[i : i+1]})
}

// selectedBy reports whether a filter selects the entry of a path.
func (p *pathEntry) selectedBy(f *openflow.FlowFilter) bool {
	switch {
	case f.Table != openflow.TableAll && f.Table != p.table, (f.Cookie^p.cookie)&f.CookieMask != 0:
		return false
	case f.OutPort == openflow.PortAny && len(f.Match.OXM) == 0:
		return true
	}
	return filterSelects(f, p.entry())
}
