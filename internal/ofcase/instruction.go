package ofcase

import (
	"slices"

	"github.com/weirnet/weir/openflow"
)

// instructions draws those of an entry. What it leaves out holds for this entry.
func (g actions) instructions(k kind, table uint8) (list []openflow.Instruction) {
	if g.v == openflow.V10 {
		if actions := g.list(k, true); len(actions) > 0 {
			list = append(list, openflow.Apply(actions...))
		}
		return list
	}
	g.entry, g.sends = !g.opt.Odd, false
	metered := g.opt.Meters && g.one(2)
	if metered { // whether what a meter drops is counted further on is not agreed
		list, table = append(list, openflow.UseMeter(g.meterID())), lastTable
		g.opt.Groups = false
	}
	if actions := g.list(k, g.tells && table == 0 && !metered); len(actions) > 0 && !g.one(3) {
		list = append(list, openflow.Apply(actions...))
	}
	if g.one(8) {
		list = append(list, openflow.Instruction{Type: openflow.InstructionClearActions})
	}
	k.tagged = k.tagged && !slices.ContainsFunc(list, pops)
	actions := g.set(k, false, g.opt.Odd)
	if g.tells && !g.opt.Odd {
		actions = slices.DeleteFunc(actions, func(a openflow.Action) bool { return a.Type == openflow.ActionGroup })
	}
	if len(actions) > 0 && g.one(3) {
		list = append(list, openflow.Instruction{Type: openflow.InstructionWriteActions, Actions: actions})
	}
	if g.one(3) {
		list = append(list, openflow.Instruction{
			Type: openflow.InstructionWriteMetadata, Metadata: uint64(g.IntN(4)), MetadataMask: pick(g, []uint64{3, 1, 2}),
		})
	}
	if table < lastTable && g.one(3) {
		list = append(list, openflow.GotoTable(min(lastTable, table+uint8(1+g.IntN(2)))))
	}
	return list
}

// pops reports whether an instruction applies a pop of a tag.
func pops(i openflow.Instruction) bool {
	return slices.ContainsFunc(i.Actions, func(a openflow.Action) bool { return a.Type == openflow.ActionPopVLAN })
}
