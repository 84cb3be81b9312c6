package stats

import (
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/plan"
)

// Kind is what is asked for.
type Kind uint8

// The kinds of questions. Where several are due at one switch they are asked in this order.
const (
	KindPorts  Kind = iota // the counters of all ports
	KindTables             // those of all flow tables
	KindTotals             // the sums over all flow entries
	KindFlows              // the counters of firm entries, in one question for each of counted
	// From here on they are asked for when somebody wants them (Wanted).
	KindTenants // the counters of tenants' entries
	KindGroups  // those of all groups
	KindMeters  // those of all meters
	kinds
)

// String is "ports", "tables", "totals", "flows", "tenants", "groups" or "meters".
func (k Kind) String() string {
	return [...]string{"ports", "tables", "totals", "flows", "tenants", "groups", "meters"}[k]
}

// onDemand reports whether a kind is asked for only when somebody wants it.
func (k Kind) onDemand() bool { return k >= KindTenants }

// Address is a session of a switch. A later session has a higher epoch.
type Address struct {
	DPID  netview.DPID
	Epoch uint64
}

// Question is to be asked of a switch. Each is answered by one Answer, or by the end of the
// session.
type Question struct {
	Address
	Kind Kind
	Part int // of KindFlows: which selector
}

// body is the request.
func (q *Question) body(domain uint16) openflow.RequestBody {
	all := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	switch q.Kind {
	case KindPorts:
		return &openflow.PortStatsRequest{Port: openflow.PortAny}
	case KindTables:
		return &openflow.TableRequest{}
	case KindTotals:
		return &openflow.AggregateRequest{FlowFilter: all}
	case KindTenants: // OpenFlow 1.0 cannot select them, and lists all
		of := plan.KindSelector(domain, plan.KindTenant)
		all.Cookie, all.CookieMask = of.Value, of.Mask
		return &openflow.FlowRequest{FlowFilter: all}
	case KindGroups:
		return &openflow.GroupRequest{Group: openflow.GroupAll}
	case KindMeters:
		return &openflow.MeterRequest{Meter: openflow.MeterAll}
	}
	firm := counted(domain)[q.Part]
	all.Cookie, all.CookieMask = firm.Value, firm.Mask
	return &openflow.FlowRequest{FlowFilter: all}
}

// counted select the firm entries whose counters are read, each once: all but those of intents, of
// which a switch may hold a hundred thousand. Those are read by intent, on
// request.
func counted(domain uint16) []plan.Selector {
	all := plan.FirmSelectors(domain)
	return all[:len(all)-1]
}

// selectable reports whether a version can select entries by cookie: what it cannot express it
// leaves out.
func selectable(v openflow.Version) bool {
	filter := openflow.FlowFilter{Table: openflow.TableAll, OutPort: openflow.PortAny, OutGroup: openflow.GroupAny}
	all, err := openflow.Append(nil, v, 0, &openflow.MultipartRequest{Body: &openflow.FlowRequest{FlowFilter: filter}})
	filter.Cookie, filter.CookieMask = 1, 1
	one, err1 := openflow.Append(nil, v, 0, &openflow.MultipartRequest{Body: &openflow.FlowRequest{FlowFilter: filter}})
	return err == nil && err1 == nil && string(all) != string(one)
}

// kindOf is the kind of question that a body answers, and about how many bytes it has on the wire;
// kinds for a body that answers none.
func kindOf(body openflow.ReplyBody) (k Kind, bytes int) {
	const portLen, tableLen, entryLen, groupLen, meterLen = 112, 24, 144, 72, 56
	switch b := body.(type) {
	case *portList:
		return KindPorts, portLen * len(b.Ports)
	case *tableList:
		return KindTables, tableLen * len(b.Tables)
	case *totals:
		return KindTotals, 0
	case *flowList:
		return KindFlows, entryLen * len(b.Flows)
	case *openflow.GroupStatsList:
		return KindGroups, groupLen * len(b.Groups)
	case *openflow.MeterStatsList:
		return KindMeters, meterLen * len(b.Meters)
	}
	return kinds, 0
}
