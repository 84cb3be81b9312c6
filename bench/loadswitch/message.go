package loadswitch

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Message answers requests, and does port-mods and meter-mods.
func (sw *Switch) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	r := request{s, h}
	switch m := m.(type) {
	case *openflow.MultipartRequest:
		sw.multipart(r, m)
	case *openflow.PortMod:
		sw.portMod(r, m)
	case *openflow.MeterMod:
		if code, ok := sw.meters.apply(m); !ok {
			r.refuse(m, code)
		}
	case *openflow.QueueGetConfigRequest:
		_ = s.Reply(h.XID, &openflow.QueueGetConfigReply{Port: m.Port})
	case *openflow.TableMod, *openflow.SetAsync, *openflow.ErrorMsg:
	default:
		r.refuse(m, openflow.BadRequestBadType)
	}
}

// portMod changes the configuration of a port, and tells of it.
func (sw *Switch) portMod(r request, m *openflow.PortMod) {
	p := sw.ports.at(m.Port)
	if p == nil {
		r.refuse(m, openflow.PortModFailedBadPort)
		return
	}
	p.config.Store(p.config.Load()&^m.Mask | m.Config&m.Mask)
	_, _ = r.s.Send(&openflow.PortStatus{Reason: openflow.PortModified, Port: sw.ports.describe(m.Port)})
}

// multipart answers a request for statistics.
func (sw *Switch) multipart(r request, m *openflow.MultipartRequest) {
	switch b := m.Body.(type) {
	case *openflow.DescRequest:
		sw.description.told(answeredDesc)
		r.reply(&openflow.Desc{Manufacturer: "Weir", Hardware: "emulated switch", Software: "weir bench", Serial: "none",
			Datapath: sw.net.topology.Name})
	case *openflow.PortDescRequest:
		sw.description.told(answeredPorts)
		r.portDescs(sw.ports.describeAll())
	case *openflow.FlowRequest:
		sw.table.list(&b.FlowFilter, sw.net.age(), maxPart,
			func(l []openflow.FlowStats) { r.part(&openflow.FlowStatsList{Flows: l}) })
		r.reply(&openflow.FlowStatsList{})
	case *openflow.AggregateRequest:
		a := &openflow.AggregateStats{}
		for _, n := range sw.table.countByTable(&b.FlowFilter) {
			a.Flows += n
		}
		r.reply(a)
	case *openflow.TableRequest:
		r.reply(sw.table.stats(r.s.Version()))
	case *openflow.PortStatsRequest:
		l, ok := sw.ports.stats(b.Port, sw.net.age())
		if !ok {
			r.refuse(m, openflow.BadRequestBadPort)
			return
		}
		r.portStats(l)
	case *openflow.MeterConfigRequest:
		r.reply(sw.meters.configs(b.Meter))
	default:
		r.refuse(m, openflow.BadRequestBadMultipart)
	}
}

// maxPart is how long one part of an answer gets, in bytes, as far as one more item may be a few
// KiB long.
const maxPart = 48 << 10
