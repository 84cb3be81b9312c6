package ofcase

import "github.com/weirnet/weir/openflow"

// flowMod draws a flow-mod, most often of an addition.
func (g *gen) flowMod() openflow.Message {
	f := &openflow.FlowMod{
		Cookie: uint64(g.IntN(4)), Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
	}
	if !g.opt.Down && g.one(2) {
		f.Flags |= openflow.FlagSendFlowRemoved
	}
	if g.v == openflow.V13 && g.one(4) {
		f.Flags |= openflow.FlagResetCounts
	}
	if len(g.added) == 0 || g.IntN(20) < 12 {
		g.addition(f)
		return f
	}
	old := pick(g, g.added)
	f.Table, f.Priority, f.Match = old.Table, old.Priority, old.Match
	f.Command = pick(g, []openflow.FlowModCommand{
		openflow.FlowModify, openflow.FlowModifyStrict, openflow.FlowDelete, openflow.FlowDeleteStrict,
	})
	switch {
	case g.v == openflow.V10 && f.Command <= openflow.FlowModifyStrict: // perhaps an addition
		f.Priority, f.Match = g.priority(0), g.matches.wider(old.Match)
		g.added = append(g.added, f)
	case f.Command == openflow.FlowModify || f.Command == openflow.FlowDelete:
		f.Match = g.matches.wider(old.Match)
	default:
		if g.one(8) {
			f.Match, f.Priority = g.matches.match(g.matches.kind()), g.priority(f.Table)
		}
	}
	if f.Command == openflow.FlowDelete || f.Command == openflow.FlowDeleteStrict {
		g.deletion(f)
	} else {
		f.Instructions = g.actions.instructions(kindOf(f.Match), f.Table)
	}
	if g.v == openflow.V13 && g.one(3) {
		f.CookieMask = pick(g, []uint64{3, 1, 0xffffffffffffffff})
		if f.CookieMask > 3 && f.Cookie == 0 && !g.opt.Odd { // which some switches' own entries have
			f.Cookie = 1
		}
	}
	if f.Command >= openflow.FlowDelete && len(f.Match.OXM) == 0 && g.v == openflow.V13 && !g.opt.Odd {
		f.CookieMask |= missCookie // spares the entries of miss
	}
	return f
}

// missCookie marks the entries of miss.
const missCookie = 0x10

// miss is an entry for packets that meet no other one in a table after the first: without it, it is
// not agreed whether their action set is executed.
func (g *gen) miss(table uint8) openflow.Message {
	a := g.actions
	a.opt.Groups, a.opt.Meters = false, false // there are none yet
	return &openflow.FlowMod{
		Cookie: missCookie, Table: table, Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
		Instructions: a.instructions(kind{}, table),
	}
}

// addition makes f an addition: of a new entry, of one over an earlier one, or of one that may
// overlap, and is checked for it. Entries of one priority that overlap are never made, because it
// is not said which of them counts.
func (g *gen) addition(f *openflow.FlowMod) {
	k := g.matches.kind()
	f.Table, f.Match = g.table(), g.matches.match(k)
	f.Priority = g.priority(f.Table)
	if g.opt.Waits && !g.opt.Down {
		f.IdleTimeout, f.HardTimeout = pick(g, []uint16{0, 0, 1, 2}), pick(g, []uint16{0, 0, 0, 1, 3})
		if f.HardTimeout != 0 && !g.opt.Odd { // which of two is over first depends on when it is looked at
			f.IdleTimeout = 0
		}
	}
	switch n := g.IntN(10); {
	case n < 2 && len(g.added) > 0:
		old := pick(g, g.added)
		f.Table, f.Priority, f.Match, k = old.Table, old.Priority, old.Match, kindOf(old.Match)
		if !g.opt.Odd { // whether the old entry's idle time goes on is not agreed
			f.IdleTimeout = 0
		}
	case n < 4 && len(g.added) > 0:
		old := pick(g, g.added)
		f.Table, f.Priority = old.Table, old.Priority
		f.Flags |= openflow.FlagCheckOverlap
	case n < 5:
		f.Flags |= openflow.FlagCheckOverlap
	case n < 6 && g.v == openflow.V13 && f.Table == 0:
		f.Match, f.Priority, k = openflow.Match{}, 0, kind{}
	}
	if g.contested(f) {
		f.Flags |= openflow.FlagCheckOverlap
	}
	f.Instructions = g.actions.instructions(k, f.Table)
	g.added = append(g.added, f)
}

// contested reports whether there was an addition with the table and priority of f, but another
// match.
func (g *gen) contested(f *openflow.FlowMod) bool {
	for _, o := range g.added {
		if o.Table == f.Table && o.Priority == f.Priority && !o.Match.Equal(f.Match) {
			return true
		}
	}
	return false
}

// priority draws one that no addition to the table had.
func (g *gen) priority(table uint8) uint16 {
	for {
		p := uint16(1 + g.IntN(200))
		if g.one(20) {
			p = 0xffff - uint16(g.IntN(8))
		}
		used := false
		for _, f := range g.added {
			used = used || f.Table == table && f.Priority == p
		}
		if !used {
			return p
		}
	}
}

// deletion draws what a deletion is limited to.
func (g *gen) deletion(f *openflow.FlowMod) {
	if g.one(6) {
		f.OutPort = g.port()
	}
	if g.opt.Groups && g.v == openflow.V13 && g.one(6) {
		f.OutGroup = g.groupID()
	}
	if g.v == openflow.V13 && g.one(4) {
		f.Table = openflow.TableAll
	}
}
