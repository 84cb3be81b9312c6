package loadswitch

import "github.com/weirnet/weir/openflow"

// filterSelects reports whether a filter selects an entry. Its group is not looked at: there are
// none.
func filterSelects(f *openflow.FlowFilter, e *entry) bool {
	switch {
	case f.Table != openflow.TableAll && f.Table != e.Table:
		return false
	case (f.Cookie^e.Cookie)&f.CookieMask != 0:
		return false
	case f.OutPort != openflow.PortAny && !outputsToPort(e.Instructions, f.OutPort):
		return false
	}
	return covers(&f.Match, &e.Match)
}

// outputsToPort reports whether an entry sends to a port.
func outputsToPort(ins []openflow.Instruction, port uint32) bool {
	for i := range ins {
		for _, a := range ins[i].Actions {
			if (a.Type == openflow.ActionOutput || a.Type == openflow.ActionEnqueue) && a.Port == port {
				return true
			}
		}
	}
	return false
}

// covers reports whether whatever matches narrow also matches wide, by the fields of OpenFlow's
// basic class.
func covers(wide, narrow *openflow.Match) bool {
	if len(wide.OXM) == 0 {
		return true
	}
	for f := openflow.FieldInPort; f <= openflow.FieldIPv6ExtHdr; f++ {
		value, mask, ok := wide.Lookup(f)
		if ok && !fieldCovers(value, mask, f, narrow) {
			return false
		}
	}
	return true
}

func fieldCovers(value, mask []byte, f openflow.Field, narrow *openflow.Match) bool {
	have, haveMask, ok := narrow.Lookup(f)
	if !ok {
		return false
	}
	for i := range value {
		want, given := uint8(0xff), uint8(0xff)
		if mask != nil {
			want = mask[i]
		}
		if haveMask != nil {
			given = haveMask[i]
		}
		if want&^given != 0 || (value[i]^have[i])&want != 0 {
			return false
		}
	}
	return true
}

// matchesLLDP reports whether an entry is for discovery frames.
func matchesLLDP(m *openflow.Match) bool {
	t, ok := m.Uint(openflow.FieldEthType)
	return ok && t == etherTypeLLDP
}

// cloneInstructions copies instructions and all they point to.
func cloneInstructions(ins []openflow.Instruction) []openflow.Instruction {
	out := append([]openflow.Instruction(nil), ins...)
	for i := range out {
		out[i].Data = append([]byte(nil), out[i].Data...)
		out[i].Actions = append([]openflow.Action(nil), out[i].Actions...)
		for j := range out[i].Actions {
			out[i].Actions[j].Data = append([]byte(nil), out[i].Actions[j].Data...)
		}
	}
	return out
}
