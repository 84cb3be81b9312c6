package emu

import "github.com/weirnet/weir/openflow"

// ConsoleFlowMod applies a flow-mod as from the switch's console: no controller has sent it, and
// controllers get only what switches send by themselves. The error is that of flowtable; without
// power nothing happens.
func (sw *Switch) ConsoleFlowMod(v openflow.Version, m *openflow.FlowMod) error {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.data.table == nil {
		return nil
	}
	out := output{sw: sw, now: sw.data.clock(sw.net.now())}
	err := sw.data.table.FlowMod(v, m, out.now, &out)
	if m.IdleTimeout|m.HardTimeout != 0 {
		sw.data.expire(out.now, &out)
	}
	sw.data.count()
	return err
}

// Flows are the entries that the switch holds now, in its order, as a version of OpenFlow shows
// them; none without power.
func (sw *Switch) Flows(v openflow.Version) []openflow.FlowStats {
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.data.table == nil {
		return nil
	}
	reply, err := sw.data.table.Multipart(v, &openflow.FlowRequest{FlowFilter: openflow.FlowFilter{
		Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny,
	}}, sw.data.clock(sw.net.now()))
	if err != nil {
		return nil
	}
	return reply.(*openflow.FlowStatsList).Flows
}
