package guard

import (
	"slices"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// form is what can be written into a switch.
type form struct {
	version openflow.Version
	single  bool // the single-table form of the plan
}

// etherTypeLLDP is the Ethernet type of discovery frames.
const etherTypeLLDP = 0x88cc

// write writes a port's rows where that is due, or the tree or the port's role has changed. A meter
// comes before the rows that use it, in place of one of an earlier run with the same number, whose
// rows go with it.
func (c *Core) write(p *port, role netview.PortRole, snap *netview.Snapshot, now time.Time) {
	d := c.switches[p.at.DPID]
	rows := c.rows(p, d, role, snap)
	if !p.unsent && slices.EqualFunc(rows, p.rows, func(a, b openflow.FlowMod) bool { return sameRow(&a, &b) }) {
		return
	}
	w := c.newWrite(p.at)
	if p.means == byMeter && !p.metered {
		w.Messages = append(w.Messages, c.cfg.meter(openflow.MeterDelete, p.at.Port), c.cfg.meter(openflow.MeterAdd, p.at.Port))
	}
	for i := range p.rows { // the tree may have changed: what is no longer desired is deleted
		if old := &p.rows[i]; !slices.ContainsFunc(rows, func(r openflow.FlowMod) bool { return samePlace(old, &r) }) {
			w.Messages = append(w.Messages, deletion(old))
		}
	}
	for i := range rows {
		w.Messages = append(w.Messages, &rows[i])
	}
	p.rows, p.until, p.unsent = rows, now.Add(p.hold), len(w.Messages) > 0
	if !p.unsent {
		return
	}
	c.Counts.Rows.Add(uint64(len(rows)))
	c.ready.Writes = append(c.ready.Writes, w)
}

// erase deletes a port's rows, and its meter after them.
func (c *Core) erase(p *port) {
	w := c.newWrite(p.at)
	for i := range p.rows {
		w.Messages = append(w.Messages, deletion(&p.rows[i]))
	}
	if p.means == byMeter && p.metered {
		w.Messages = append(w.Messages, c.cfg.meter(openflow.MeterDelete, p.at.Port))
	}
	if p.rows, p.metered = nil, false; len(w.Messages) > 0 {
		c.ready.Writes = append(c.ready.Writes, w)
	}
}

func (c *Config) meter(command openflow.MeterModCommand, port uint32) *openflow.MeterMod {
	id, _ := plan.MeterOfPort(port)
	m := &openflow.MeterMod{Command: command, Meter: id}
	if command != openflow.MeterDelete {
		m.Flags = openflow.MeterFlagPktps | openflow.MeterFlagBurst
		m.Bands = []openflow.Band{{Type: openflow.BandDrop, Rate: c.Allowed, Burst: c.Allowed}}
	}
	return m
}

// rows are those of the switch plan that hold a port back.
func (c *Core) rows(p *port, d *device, role netview.PortRole, snap *netview.Snapshot) []openflow.FlowMod {
	var limit []openflow.Instruction
	if p.means == byMeter {
		id, _ := plan.MeterOfPort(p.at.Port)
		limit = []openflow.Instruction{openflow.UseMeter(id), openflow.Apply(openflow.OutputController(openflow.ControllerNoCut))}
	}
	var from openflow.Match
	from.SetUint(openflow.FieldInPort, uint64(p.at.Port))
	var rows []openflow.FlowMod
	add := func(table uint8, priority uint16, m openflow.Match, what plan.Guarded, ins []openflow.Instruction) {
		rows = append(rows, openflow.FlowMod{
			Cookie: plan.GuardCookie(c.cfg.Domain, p.at.Port, what), Table: table, Command: openflow.FlowAdd,
			HardTimeout: uint16(p.hold / time.Second), Priority: priority, Buffer: openflow.NoBuffer,
			OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Flags: openflow.FlagSendFlowRemoved,
			Match: m, Instructions: ins,
		})
	}
	if p.held&ClassProbes != 0 && role != netview.PortLink {
		probes := from.Clone()
		probes.SetUint(openflow.FieldEthType, etherTypeLLDP)
		add(plan.TableAdmission, plan.PriorityGuardProbes, probes, plan.GuardedProbes, limit)
	}
	if p.held&ClassData == 0 {
		return rows
	}
	if role != netview.PortLink {
		add(plan.ForwardingTable(d.single), plan.PriorityGuardMiss, from, plan.GuardedMisses, limit)
	}
	switch {
	case d.single:
		for r := range snap.Rules(p.at.DPID) {
			if m, ins, ok := withoutCopy(r, p.at.Port); ok {
				add(plan.TableSingle, r.Priority+plan.PriorityGuardTree, m, plan.GuardedCopies, ins)
			}
		}
	case role != netview.PortLink:
		add(plan.TableCopy, plan.PriorityGuardCopy, from, plan.GuardedCopies, limit)
	}
	return rows
}

// withoutCopy is a row of the tree for one port alone, without its copy to the controller; ok is
// false if it sends none, or is for another port.
func withoutCopy(r *netview.Rule, port uint32) (m openflow.Match, ins []openflow.Instruction, ok bool) {
	if plan.Decode(r.Cookie).Kind != plan.KindTree || r.Table != plan.TableSingle {
		return m, nil, false
	}
	if from, named := r.Match.Uint(openflow.FieldInPort); named && from != uint64(port) {
		return m, nil, false
	}
	for _, i := range r.Instructions {
		kept := slices.DeleteFunc(slices.Clone(i.Actions), func(a openflow.Action) bool {
			return a.Type == openflow.ActionOutput && a.Port == openflow.PortController
		})
		ok = ok || len(kept) < len(i.Actions)
		if i.Actions = kept; len(kept) > 0 {
			ins = append(ins, i)
		}
	}
	m.SetUint(openflow.FieldInPort, uint64(port))
	rest := r.Match.Clone()
	rest.Remove(openflow.FieldInPort)
	m.OXM = append(m.OXM, rest.OXM...)
	return m, ins, ok
}

// samePlace reports whether two rows are one to a switch.
func samePlace(a, b *openflow.FlowMod) bool {
	return a.Table == b.Table && a.Priority == b.Priority && a.Match.Key() == b.Match.Key()
}

// sameRow reports whether two rows do the same in the same place.
func sameRow(a, b *openflow.FlowMod) bool {
	return samePlace(a, b) && a.Cookie == b.Cookie && slices.EqualFunc(a.Instructions, b.Instructions, sameInstruction)
}

func sameInstruction(a, b openflow.Instruction) bool {
	return a.Type == b.Type && a.Meter == b.Meter && slices.EqualFunc(a.Actions, b.Actions, func(x, y openflow.Action) bool {
		return x.Type == y.Type && x.Port == y.Port
	})
}

// deletion deletes one row, strictly and, where the version can say it, by its cookie.
func deletion(r *openflow.FlowMod) *openflow.FlowMod {
	return &openflow.FlowMod{
		Cookie: r.Cookie, CookieMask: plan.ExactMask, Table: r.Table, Command: openflow.FlowDeleteStrict, Priority: r.Priority,
		Buffer: openflow.NoBuffer, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny, Match: r.Match,
	}
}
