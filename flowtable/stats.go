package flowtable

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// Multipart answers a request for statistics or descriptions of a controller of version v. A
// request of a kind that a Switch knows nothing of, openflow.MultipartDesc and experimenters' among
// them, is refused with openflow.BadRequestBadMultipart. The error is an *Error.
func (s *Switch) Multipart(v openflow.Version, req openflow.RequestBody, now time.Duration) (openflow.ReplyBody, error) {
	if r, ok := req.(*openflow.FlowRequest); ok {
		x, err := s.Survey(v, r, now)
		if err != nil {
			return nil, err
		}
		list, _ := s.Describe(x, len(x.left), now)
		return list, nil
	}
	s.begin(now, nil)
	defer s.end()
	switch r := req.(type) {
	case *openflow.AggregateRequest:
		return s.aggregate(v, &r.FlowFilter)
	case *openflow.TableRequest:
		return s.tableStats(v), nil
	case *openflow.PortStatsRequest:
		return s.portStats(r.Port)
	case *openflow.PortDescRequest:
		return &openflow.PortDescList{Ports: s.portsIn(v)}, nil
	case *openflow.QueueRequest:
		return s.queueStats(v, r)
	case *openflow.TableFeaturesList:
		return s.tableFeatures(r)
	}
	return s.groupOrMeter(req)
}

func (s *Switch) groupOrMeter(req openflow.RequestBody) (openflow.ReplyBody, error) {
	switch r := req.(type) {
	case *openflow.GroupRequest:
		return s.groupStats(r.Group)
	case *openflow.GroupDescRequest:
		return s.groupDesc(), nil
	case *openflow.GroupFeaturesRequest:
		return s.groupFeatures(), nil
	case *openflow.MeterRequest:
		return s.meterStats(r.Meter)
	case *openflow.MeterConfigRequest:
		return s.meterConfig(r.Meter)
	case *openflow.MeterFeaturesRequest:
		return s.meterFeatures(), nil
	}
	return nil, refuse(openflow.BadRequestBadMultipart, "multipart request of type %s", req.Kind())
}

// portsIn are the ports as version v describes them.
func (s *Switch) portsIn(v openflow.Version) []openflow.Port {
	list := s.Ports()
	for i := range list {
		list[i] = PortIn(v, list[i])
	}
	return list
}

// selected are the entries that a filter selects. OpenFlow 1.0 sees table 0 only.
func (s *Switch) selected(v openflow.Version, f *openflow.FlowFilter) ([]*entry, error) {
	if err := s.match.parse(&f.Match); err != nil {
		return nil, err
	}
	x := selection{
		table: f.Table, cookie: f.Cookie, cookieMask: f.CookieMask, outPort: f.OutPort, outGroup: f.OutGroup,
	}
	if v == openflow.V10 {
		x.cookieMask, x.outGroup = 0, openflow.GroupAny
		if x.table == openflow.TableAll {
			x.table = 0
		}
		if x.table != 0 {
			return nil, nil
		}
	}
	if int(x.table) >= s.cfg.Tables && x.table != openflow.TableAll {
		return nil, refuse(openflow.BadRequestBadTableID, "table %d of %d", x.table, s.cfg.Tables)
	}
	return s.pick(&x), nil
}

// expressibleIn10 reports whether OpenFlow 1.0 can describe an entry: those of 1.3 may match and do more.
func expressibleIn10(st *openflow.FlowStats) bool {
	list := openflow.FlowStatsList{Flows: []openflow.FlowStats{*st}}
	_, err := (&openflow.MultipartReply{Body: &list}).Append(nil, openflow.V10)
	return err == nil
}

// flowStats describes an entry; its match is appended to oxm, which it then is with what was there.
// Its instructions are the entry's own.
func (s *Switch) flowStats(e *entry, f *filter, oxm []byte) openflow.FlowStats {
	e.filter(f)
	st := openflow.FlowStats{
		Table: e.table, Priority: e.priority, IdleTimeout: e.idle, HardTimeout: e.hard, Flags: e.flags, Cookie: e.cookie,
		Packets: e.packets, Bytes: e.bytes, Match: openflow.Match{OXM: f.appendOXM(oxm)}, Instructions: e.program.instructions(),
	}
	st.DurationSec, st.DurationNsec = age(s.now, e.created)
	if e.uncounted || e.flags&openflow.FlagNoPacketCounts != 0 {
		st.Packets = unknown
	}
	if e.uncounted || e.flags&openflow.FlagNoByteCounts != 0 {
		st.Bytes = unknown
	}
	return st
}

func (s *Switch) aggregate(v openflow.Version, f *openflow.FlowFilter) (openflow.ReplyBody, error) {
	picked, err := s.selected(v, f)
	if err != nil {
		return nil, err
	}
	sum := &openflow.AggregateStats{Flows: uint32(len(picked))}
	for _, e := range picked {
		if e.uncounted {
			sum.Packets, sum.Bytes = unknown, unknown
			break
		}
		sum.Packets += e.packets
		sum.Bytes += e.bytes
	}
	return sum, nil
}

// wildcards10 are the wildcards of OpenFlow 1.0, all of which table 0 takes: OFPFW_ALL.
const wildcards10 = 1<<22 - 1

func (s *Switch) tableStats(v openflow.Version) openflow.ReplyBody {
	n := s.cfg.Tables
	if v == openflow.V10 {
		n = 1
	}
	list := &openflow.TableStatsList{Tables: make([]openflow.TableStats, n)}
	for i := range list.Tables {
		st := &list.Tables[i]
		st.Table = uint8(i)
		if v == openflow.V10 {
			st.Name, st.Wildcards, st.MaxEntries = s.tableName(i), wildcards10, uint32(s.cfg.MaxEntries)
		}
		if i < len(s.tables) {
			st.Lookups, st.Matched = s.counts[i].lookups, s.counts[i].matched
			if s.counts[i].uncounted > 0 {
				st.Lookups, st.Matched = unknown, unknown
			}
			if s.tables[i] != nil {
				st.Active = uint32(s.tables[i].size)
			}
		}
	}
	return list
}

func (s *Switch) portStats(no uint32) (openflow.ReplyBody, error) {
	list := &openflow.PortStatsList{}
	for _, p := range s.ports.all {
		if no == openflow.PortAny || no == p.Number {
			st := p.stats
			st.DurationSec, st.DurationNsec = age(s.now, p.since)
			list.Ports = append(list.Ports, st)
		}
	}
	if no != openflow.PortAny && len(list.Ports) == 0 {
		return nil, refuse(openflow.BadRequestBadPort, "port %s, which there is not", openflow.PortText(no))
	}
	return list, nil
}

func (s *Switch) queueStats(v openflow.Version, r *openflow.QueueRequest) (openflow.ReplyBody, error) {
	all := r.Port == openflow.PortAny || v == openflow.V10 && r.Port == openflow.PortAll
	if !all && s.ports.find(r.Port) == nil {
		return nil, refuse(openflow.QueueOpFailedBadPort, "port %s, which there is not", openflow.PortText(r.Port))
	}
	list := &openflow.QueueStatsList{}
	for _, p := range s.ports.all {
		if !all && p.Number != r.Port {
			continue
		}
		for _, q := range p.queues {
			if r.Queue == openflow.QueueAll || r.Queue == q.id {
				st := openflow.QueueStats{Port: p.Number, Queue: q.id, TxBytes: q.bytes, TxPackets: q.packets}
				st.DurationSec, st.DurationNsec = age(s.now, q.since)
				list.Queues = append(list.Queues, st)
			}
		}
	}
	if r.Queue != openflow.QueueAll && len(list.Queues) == 0 {
		return nil, refuse(openflow.QueueOpFailedBadQueue, "queue %d, which there is not", r.Queue)
	}
	return list, nil
}

// Queues are the queues of a port, or with openflow.PortAny of all, as a message of version v
// describes them. The error is an *Error.
func (s *Switch) Queues(v openflow.Version, no uint32) ([]openflow.Queue, error) {
	if s.ports.find(no) == nil && (no != openflow.PortAny || v == openflow.V10) {
		return nil, refuse(openflow.QueueOpFailedBadPort, "port %s, which there is not", openflow.PortText(no))
	}
	var list []openflow.Queue
	for _, p := range s.ports.all {
		for _, q := range p.queues {
			if no == openflow.PortAny || no == p.Number {
				list = append(list, openflow.Queue{ID: q.id, Port: p.Number})
			}
		}
	}
	return list, nil
}
