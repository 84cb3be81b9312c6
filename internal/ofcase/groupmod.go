package ofcase

import "github.com/weirnet/weir/openflow"

// groupMod draws a group-mod. Buckets send on to greater groups only, so that there is no loop;
// which exist, unless odd things are asked for.
func (g *gen) groupMod() openflow.Message {
	kinds := []openflow.GroupType{openflow.GroupTypeAll, openflow.GroupTypeIndirect, openflow.GroupTypeFastFailover}
	if g.opt.Select {
		kinds = append(kinds, openflow.GroupTypeSelect)
	}
	m := &openflow.GroupMod{
		Command: pick(g, []openflow.GroupModCommand{openflow.GroupAdd, openflow.GroupAdd, openflow.GroupModify,
			openflow.GroupDelete}),
		Kind: pick(g, kinds), Group: g.groupID(),
	}
	if g.opt.Down && !g.one(4) {
		m.Kind = openflow.GroupTypeFastFailover
	}
	if m.Command == openflow.GroupDelete {
		for g.chained[m.Group] && !g.opt.Odd { // whether it can be deleted is left open
			m.Group = m.Group%4 + 1
		}
		g.groups[m.Group] = false
		if g.one(6) {
			m.Group = openflow.GroupAll
			clear(g.groups)
		}
		m.Kind = 0
		return m
	}
	n := g.IntN(4)
	if m.Kind == openflow.GroupTypeFastFailover && !g.opt.Odd { // whether a packet counts that no bucket gets is not agreed
		n = max(n, 1)
	}
	if m.Kind == openflow.GroupTypeIndirect {
		n = 1
		if g.one(8) {
			n = g.IntN(3)
		}
	}
	for range n {
		m.Buckets = append(m.Buckets, g.bucket(m))
	}
	if m.Command == openflow.GroupAdd && (m.Kind != openflow.GroupTypeIndirect || n == 1) {
		g.groups[m.Group] = true
	}
	return m
}

func (g *gen) bucket(m *openflow.GroupMod) openflow.Bucket {
	b := openflow.Bucket{WatchPort: openflow.PortAny, WatchGroup: openflow.GroupAny}
	switch m.Kind {
	case openflow.GroupTypeSelect:
		b.Weight = uint16(1 + g.IntN(3))
	case openflow.GroupTypeFastFailover:
		b.WatchPort = g.port()
		if next := m.Group + 1; g.one(5) && g.groups[next] {
			b.WatchPort, b.WatchGroup = openflow.PortAny, next
			g.chained[next] = true
		}
	}
	for _, a := range g.actions.set(kind{}, !g.actions.tells && m.Group == 4, g.actions.tells) {
		if a.Type == openflow.ActionGroup {
			if a.ID <= m.Group || !g.groups[a.ID] && !g.opt.Odd {
				continue
			}
			g.chained[a.ID] = true
		}
		b.Actions = append(b.Actions, a)
	}
	return b
}

// meterMod draws a meter-mod.
func (g *gen) meterMod() openflow.Message {
	m := &openflow.MeterMod{
		Command: pick(g, []openflow.MeterModCommand{openflow.MeterAdd, openflow.MeterAdd, openflow.MeterModify,
			openflow.MeterDelete}),
		Meter: g.meterID(), Flags: openflow.MeterFlagPktps | openflow.MeterFlagStats,
	}
	if g.one(2) {
		m.Flags = openflow.MeterFlagKbps | openflow.MeterFlagStats
	}
	if g.one(2) {
		m.Flags |= openflow.MeterFlagBurst
	}
	if m.Command == openflow.MeterDelete {
		m.Flags = 0
		return m
	}
	for range pick(g, []int{1, 1, 1, 2}) {
		band := openflow.Band{Type: openflow.BandDrop, Rate: uint32(1 + g.IntN(5))}
		if m.Flags&openflow.MeterFlagBurst != 0 {
			band.Burst = uint32(1 + g.IntN(3))
		}
		m.Bands = append(m.Bands, band)
	}
	return m
}
