package flowtable_test

import (
	"time"

	"github.com/weirnet/weir/openflow"
)

// seconds are the whole seconds since a time, and the nanoseconds beyond.
func (w *twin) seconds(since time.Duration) (sec, nsec uint32) {
	return uint32((w.now - since) / time.Second), uint32((w.now - since) % time.Second)
}

// answer answers a request for statistics; it returns the error to answer with, or 0.
func (w *twin) answer(body openflow.RequestBody) openflow.ErrorCode {
	var reply openflow.ReplyBody
	switch r := body.(type) {
	case *openflow.FlowRequest:
		reply = w.flows(r.FlowFilter)
	case *openflow.AggregateRequest:
		sum := &openflow.AggregateStats{}
		for _, e := range w.filtered(w.limited(r.FlowFilter)) {
			sum.Flows++
			sum.Packets += e.packets
			sum.Bytes += e.bytes
		}
		reply = sum
	case *openflow.TableRequest:
		reply = w.tableStats()
	case *openflow.PortStatsRequest:
		stats := w.port[r.Port].stats
		stats.DurationSec, stats.DurationNsec = w.seconds(0)
		if w.v == openflow.V10 {
			stats.DurationSec, stats.DurationNsec = 0, 0
		}
		reply = &openflow.PortStatsList{Ports: []openflow.PortStats{stats}}
	case *openflow.PortDescRequest:
		list := &openflow.PortDescList{}
		for _, n := range w.numbers {
			list.Ports = append(list.Ports, w.port[n].Port)
		}
		reply = list
	case *openflow.GroupRequest:
		if r.Group != openflow.GroupAll && w.groups[r.Group] == nil {
			reply = &openflow.GroupStatsList{}
			break
		}
		reply = w.groupStats(r.Group)
	case *openflow.GroupDescRequest:
		list := &openflow.GroupDescList{}
		for id, g := range w.groups {
			list.Groups = append(list.Groups, openflow.GroupDesc{Kind: g.Kind, Group: id, Buckets: g.Buckets})
		}
		reply = list
	}
	w.say(&openflow.MultipartReply{Body: reply})
	return 0
}

// limited is a filter without what OpenFlow 1.0 does not have.
func (w *twin) limited(f openflow.FlowFilter) openflow.FlowFilter {
	if w.v == openflow.V10 {
		f.OutGroup, f.CookieMask = openflow.GroupAny, 0
	}
	return f
}

func (w *twin) flows(f openflow.FlowFilter) openflow.ReplyBody {
	list := &openflow.FlowStatsList{}
	for _, e := range w.filtered(w.limited(f)) {
		s := openflow.FlowStats{
			Table: e.Table, Priority: e.Priority, IdleTimeout: e.IdleTimeout, HardTimeout: e.HardTimeout, Cookie: e.Cookie,
			Packets: e.packets, Bytes: e.bytes, Match: e.Match, Instructions: e.Instructions,
		}
		if w.v == openflow.V13 {
			s.Flags = e.Flags
		}
		s.DurationSec, s.DurationNsec = w.seconds(e.created)
		list.Flows = append(list.Flows, s)
	}
	return list
}

func (w *twin) tableStats() openflow.ReplyBody {
	list := &openflow.TableStatsList{}
	for id := range 254 {
		s := *w.lookups[uint8(id)]
		for _, e := range w.entries {
			if int(e.Table) == id {
				s.Active++
			}
		}
		if w.v == openflow.V10 {
			s.Wildcards, s.MaxEntries = 1<<22-1, 1_000_000
		}
		list.Tables = append(list.Tables, s)
	}
	return list
}

func (w *twin) groupStats(id uint32) openflow.ReplyBody {
	list := &openflow.GroupStatsList{}
	for n, g := range w.groups {
		if id != openflow.GroupAll && n != id {
			continue
		}
		s := openflow.GroupStats{Group: n, RefCount: w.users(n), Packets: g.packets, Bytes: g.bytes, Buckets: g.buckets}
		s.DurationSec, s.DurationNsec = w.seconds(g.created)
		list.Groups = append(list.Groups, s)
	}
	return list
}
