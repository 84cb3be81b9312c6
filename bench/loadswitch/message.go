package loadswitch

import (
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// Message answers requests, and does port-mods and meter-mods.
func (sw *Switch) Message(s *session.Session, h openflow.Header, m openflow.Message) {
	switch m := m.(type) {
	case *openflow.MultipartRequest:
		sw.multipart(s, h, m)
	case *openflow.PortMod:
		sw.portMod(s, h, m)
	case *openflow.MeterMod:
		sw.meterMod(s, h, m)
	case *openflow.QueueGetConfigRequest:
		_ = s.Reply(h.XID, &openflow.QueueGetConfigReply{Port: m.Port})
	case *openflow.TableMod, *openflow.SetAsync, *openflow.ErrorMsg:
	default:
		sw.refuse(s, h, m, openflow.BadRequestBadType)
	}
}

// portMod changes the configuration of a port, and tells of it.
func (sw *Switch) portMod(s *session.Session, h openflow.Header, m *openflow.PortMod) {
	if m.Port < 1 || m.Port > uint32(len(sw.ports)) {
		sw.refuse(s, h, m, openflow.PortModFailedBadPort)
		return
	}
	p := &sw.ports[m.Port-1]
	p.config.Store(p.config.Load()&^m.Mask | m.Config&m.Mask)
	_, _ = s.Send(&openflow.PortStatus{Reason: openflow.PortModified, Port: sw.describe(m.Port)})
}

// meterMod keeps a meter's configuration.
func (sw *Switch) meterMod(s *session.Session, h openflow.Header, m *openflow.MeterMod) {
	_, had := sw.meters[m.Meter]
	switch {
	case m.Command == openflow.MeterDelete && m.Meter == openflow.MeterAll:
		clear(sw.meters)
	case m.Command == openflow.MeterDelete:
		delete(sw.meters, m.Meter)
	case m.Command == openflow.MeterAdd && had:
		sw.refuse(s, h, m, openflow.MeterModFailedMeterExists)
	case m.Command == openflow.MeterModify && !had:
		sw.refuse(s, h, m, openflow.MeterModFailedUnknownMeter)
	default:
		if sw.meters == nil {
			sw.meters = make(map[uint32]openflow.MeterConfig)
		}
		sw.meters[m.Meter] = openflow.MeterConfig{Flags: m.Flags, Meter: m.Meter, Bands: append([]openflow.Band(nil), m.Bands...)}
	}
}

// multipart answers a request for statistics.
func (sw *Switch) multipart(s *session.Session, h openflow.Header, m *openflow.MultipartRequest) {
	switch r := m.Body.(type) {
	case *openflow.DescRequest:
		sw.requested |= answeredDesc
		sw.reply(s, h, &openflow.Desc{Manufacturer: "Weir", Hardware: "emulated switch", Software: "weir bench", Serial: "none",
			Datapath: sw.net.topology.Name})
	case *openflow.PortDescRequest:
		sw.requested |= answeredPorts
		sw.portDescs(s, h)
	case *openflow.FlowRequest:
		sw.flows(s, h, &r.FlowFilter)
	case *openflow.AggregateRequest:
		a := &openflow.AggregateStats{}
		for _, n := range sw.table.countByTable(&r.FlowFilter) {
			a.Flows += n
		}
		sw.reply(s, h, a)
	case *openflow.TableRequest:
		sw.reply(s, h, sw.tableStats(s.Version()))
	case *openflow.PortStatsRequest:
		sw.portCounters(s, h, m, r.Port)
	case *openflow.MeterConfigRequest:
		sw.reply(s, h, sw.meterConfigs(r.Meter))
	default:
		sw.refuse(s, h, m, openflow.BadRequestBadMultipart)
	}
}

func (sw *Switch) reply(s *session.Session, h openflow.Header, body openflow.ReplyBody) {
	_ = s.Reply(h.XID, &openflow.MultipartReply{Body: body})
}

// maxPart is how long one part of an answer gets, in bytes, as far as one more item may be a few
// KiB long.
const maxPart = 48 << 10

// flows answers a request for entries, in parts.
func (sw *Switch) flows(s *session.Session, h openflow.Header, f *openflow.FlowFilter) {
	sw.table.list(f, sw.net.age(), maxPart, func(l []openflow.FlowStats) { sw.part(s, h, &openflow.FlowStatsList{Flows: l}) })
	sw.reply(s, h, &openflow.FlowStatsList{})
}

// part sends a part of an answer that is not the last.
func (sw *Switch) part(s *session.Session, h openflow.Header, body openflow.ReplyBody) {
	_ = s.Reply(h.XID, &openflow.MultipartReply{Flags: openflow.MultipartMore, Body: body})
}

// maxPartPorts is how many ports stand in one part of an answer, of at most 112 bytes each.
const maxPartPorts = 500

// portDescs answers a request for all ports, in parts.
func (sw *Switch) portDescs(s *session.Session, h openflow.Header) {
	ports := sw.describeAll()
	for len(ports) > maxPartPorts {
		sw.part(s, h, &openflow.PortDescList{Ports: ports[:maxPartPorts]})
		ports = ports[maxPartPorts:]
	}
	sw.reply(s, h, &openflow.PortDescList{Ports: ports})
}

// tableStats counts entries by table.
func (sw *Switch) tableStats(v openflow.Version) *openflow.TableStatsList {
	n := Tables
	if v == openflow.V10 {
		n = 1
	}
	l := &openflow.TableStatsList{Tables: make([]openflow.TableStats, n)}
	for i := range l.Tables {
		l.Tables[i].Table = uint8(i)
		if v == openflow.V10 {
			l.Tables[i].Name, l.Tables[i].Wildcards, l.Tables[i].MaxEntries = "classifier", 1<<22-1, 1<<20
		}
	}
	for i, n := range sw.table.countByTable(&openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny}) {
		if i < len(l.Tables) {
			l.Tables[i].Active = n
		}
	}
	return l
}

// portCounters answers for one port or all.
func (sw *Switch) portCounters(s *session.Session, h openflow.Header, m *openflow.MultipartRequest, number uint32) {
	l := &openflow.PortStatsList{}
	switch {
	case number == openflow.PortAny:
		for n := range sw.ports {
			l.Ports = append(l.Ports, sw.portStats(uint32(n)+1))
		}
	case number >= 1 && number <= uint32(len(sw.ports)):
		l.Ports = []openflow.PortStats{sw.portStats(number)}
	default:
		sw.refuse(s, h, m, openflow.BadRequestBadPort)
		return
	}
	for len(l.Ports) > maxPartPorts {
		sw.part(s, h, &openflow.PortStatsList{Ports: l.Ports[:maxPartPorts]})
		l.Ports = l.Ports[maxPartPorts:]
	}
	sw.reply(s, h, l)
}

func (sw *Switch) meterConfigs(id uint32) *openflow.MeterConfigList {
	l := &openflow.MeterConfigList{}
	for n, c := range sw.meters {
		if id == openflow.MeterAll || id == n {
			l.Meters = append(l.Meters, c)
		}
	}
	return l
}
