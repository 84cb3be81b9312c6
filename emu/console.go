package emu

import (
	"fmt"

	"github.com/weirnet/weir/openflow"
)

// Console is a switch's console, where somebody changes tables, groups and meters behind the controllers' backs: these
// get only what switches send by themselves. Errors are those of flowtable; without power nothing happens, and there is
// nothing.
type Console struct{ sw *Switch }

// Console returns the switch's console.
func (sw *Switch) Console() Console { return Console{sw} }

// Apply applies a flow-mod, group-mod or meter-mod of a version of OpenFlow.
func (c Console) Apply(v openflow.Version, m openflow.Message) (err error) {
	sw := c.sw
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.data.table == nil {
		return nil
	}
	out := output{sw: sw, now: sw.data.clock(sw.net.now())}
	switch m := m.(type) {
	case *openflow.FlowMod:
		err = sw.data.table.FlowMod(v, m, out.now, &out)
		if m.IdleTimeout|m.HardTimeout != 0 {
			sw.data.expire(out.now, &out)
		}
	case *openflow.GroupMod:
		err = sw.data.table.GroupMod(v, m, out.now, &out)
	case *openflow.MeterMod:
		err = sw.data.table.MeterMod(v, m, out.now, &out)
	default:
		err = fmt.Errorf("emu: a console takes no message of type %s: want a flow-mod, group-mod or meter-mod", m.Type())
	}
	sw.data.count()
	return err
}

// Objects are the groups and meters that the switch holds now, in order of their numbers.
func (c Console) Objects() (groups []openflow.GroupDesc, meters []openflow.MeterConfig) {
	if list, ok := c.ask(&openflow.GroupDescRequest{}).(*openflow.GroupDescList); ok {
		groups = list.Groups
	}
	if list, ok := c.ask(&openflow.MeterConfigRequest{Meter: openflow.MeterAll}).(*openflow.MeterConfigList); ok {
		meters = list.Meters
	}
	return groups, meters
}

// ask asks the switch in OpenFlow 1.3.
func (c Console) ask(request openflow.RequestBody) openflow.ReplyBody {
	sw := c.sw
	sw.mu.Lock()
	defer sw.mu.Unlock()
	if sw.data.table == nil {
		return nil
	}
	reply, err := sw.data.table.Multipart(openflow.V13, request, sw.data.clock(sw.net.now()))
	if err != nil {
		return nil
	}
	return reply
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
