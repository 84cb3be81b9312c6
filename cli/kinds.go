package cli

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/config"
)

// rowKind is a kind of rows that get shows.
type rowKind[T any] struct {
	name, singular string
	id             string // what ID is: "DPID"; shown in help
	header         []string
	cells          func(T) []string // as many as header
	key            func(T) string
	list           func(ctx context.Context, c *client.Client, id string) (*client.Page[T], error)
	one            bool   // an id names one row: its JSON stands alone
	event          string // of the event stream; empty: there are no such events, and --watch asks again and again
	has            func(T, string) bool
	named          bool // cells have datapath ids, which are shown as names
}

var switchKind = &rowKind[client.Switch]{
	name: "switches", singular: "switch", id: "DPID", one: true, event: "switch",
	header: []string{"DPID", "NAME", "CONNECTED", "STATE", "OPENFLOW", "ADDRESS", "MASTER", "PORTS", "SOFTWARE"},
	cells: func(s client.Switch) []string {
		return []string{s.DPID, s.Name, yes(s.Connected), s.State, s.OpenFlow, s.Address, s.Master, fmt.Sprint(len(s.Ports)),
			strings.TrimSpace(s.Hardware + " " + s.Software)}
	},
	key: func(s client.Switch) string { return s.DPID },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Switch], error) {
		if id == "" {
			return c.Switches(ctx)
		}
		s, err := c.Switch(ctx, id)
		return single(s, err)
	},
	has: func(s client.Switch, id string) bool { return sameDPID(s.DPID, id) },
}

var linkKind = &rowKind[client.Link]{
	name: "links", singular: "link", named: true, id: "DPID", event: "link",
	header: []string{"SRC", "DST", "UP", "STATE", "CAPACITY_MBPS", "LATENCY_US", "COST"},
	cells: func(l client.Link) []string {
		return []string{point(l.Src), point(l.Dst), yes(l.Up), l.State, number(l.CapacityMbps), number(l.LatencyUS), fmt.Sprint(l.Cost)}
	},
	key: func(l client.Link) string { return point(l.Src) + " " + point(l.Dst) },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Link], error) {
		return filtered(linkOf, id)(c.Links(ctx))
	},
	has: linkOf,
}

var hostKind = &rowKind[client.Host]{
	name: "hosts", singular: "host", named: true, id: "ID", one: true, event: "host",
	header: []string{"ID", "IPS", "AT", "STATE", "SEEN"},
	cells: func(h client.Host) []string {
		return []string{h.ID, strings.Join(h.IPs, ","), point(h.At), h.State, moment(h.Seen)}
	},
	key: func(h client.Host) string { return h.ID },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Host], error) {
		if id == "" {
			return c.Hosts(ctx)
		}
		h, err := c.Host(ctx, id)
		return single(h, err)
	},
	has: func(h client.Host, id string) bool { return strings.EqualFold(h.ID, id) },
}

var flowKind = &rowKind[client.Flow]{
	name: "flows", singular: "flow", named: true, id: "DPID",
	header: []string{"SWITCH", "TABLE", "PRIORITY", "MATCH", "INSTRUCTIONS", "OWNER", "STATE", "PACKETS", "BYTES", "PACKETS_RATE", "RATE", "COOKIE"},
	cells: func(f client.Flow) []string {
		state := f.State
		if f.Reason != "" {
			state += ": " + f.Reason
		}
		return []string{f.DPID, fmt.Sprint(f.Table), fmt.Sprint(f.Priority), match(f.Match), strings.Join(f.Instructions, ","), f.Owner, state,
			exact(f.Packets), exact(f.Bytes), perSecond(f.PacketsRate), bitRate(f.BytesRate), cookie(f.Cookie)}
	},
	key: func(f client.Flow) string {
		return fmt.Sprint(f.DPID, " ", f.Table, " ", f.Priority, " ", match(f.Match), " ", f.Owner)
	},
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Flow], error) {
		if id == "" {
			return allFlows(ctx, c)
		}
		return c.Flows(ctx, id)
	},
}

var entryKind = &rowKind[client.FlowEntry]{
	name: "flows", singular: "flow", named: true, id: "DPID",
	header: []string{"SWITCH", "TABLE", "PRIORITY", "MATCH", "INSTRUCTIONS", "PACKETS", "BYTES", "DURATION", "IDLE", "HARD", "COOKIE"},
	cells: func(f client.FlowEntry) []string {
		return []string{f.DPID, fmt.Sprint(f.Table), fmt.Sprint(f.Priority), match(f.Match), strings.Join(f.Instructions, ","),
			count(f.Packets), count(f.Bytes), fmt.Sprint(f.DurationSec), fmt.Sprint(f.IdleTimeout), fmt.Sprint(f.HardTimeout), cookie(f.Cookie)}
	},
	key: func(f client.FlowEntry) string {
		return fmt.Sprint(f.DPID, " ", f.Table, " ", f.Priority, " ", match(f.Match))
	},
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.FlowEntry], error) {
		return c.Entries(ctx, id)
	},
}

var countersKind = &rowKind[client.PortCounters]{
	name: "ports", singular: "port", named: true, id: "DPID",
	header: []string{"NUMBER", "NAME", "UP", "SPEED_MBPS", "ROLE", "RX", "TX", "RX_PACKETS", "TX_PACKETS", "RX_RATE", "TX_RATE",
		"RX_DROPPED", "TX_DROPPED", "RX_ERRORS", "TX_ERRORS", "AS_OF"},
	cells: func(p client.PortCounters) []string {
		return []string{portNumber(p.Number), p.Name, yes(p.Up), number(p.SpeedMbps), p.Role, bytesOf(p.RxBytes), bytesOf(p.TxBytes),
			many(p.RxPackets), many(p.TxPackets), bitRate(p.RxBytesRate), bitRate(p.TxBytesRate),
			exact(p.RxDropped), exact(p.TxDropped), exact(p.RxErrors), exact(p.TxErrors), asOf(p.AsOf)}
	},
	key: func(p client.PortCounters) string { return fmt.Sprint(p.Number) },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.PortCounters], error) {
		return c.Ports(ctx, id)
	},
}

// switchPort is a port with its switch: what get ports shows without an id.
type switchPort struct {
	DPID string `json:"dpid"`
	client.Port
}

var portKind = &rowKind[switchPort]{
	name: "ports", singular: "port", named: true, id: "DPID",
	header: []string{"SWITCH", "NUMBER", "NAME", "MAC", "UP", "SPEED_MBPS", "ROLE"},
	cells: func(p switchPort) []string {
		return []string{p.DPID, portNumber(p.Number), p.Name, p.MAC, yes(p.Up), number(p.SpeedMbps), p.Role}
	},
	key: func(p switchPort) string { return fmt.Sprint(p.DPID, "/", p.Number) },
	list: func(ctx context.Context, c *client.Client, _ string) (*client.Page[switchPort], error) {
		switches, err := c.Switches(ctx)
		if err != nil {
			return nil, err
		}
		p := &client.Page[switchPort]{Items: []switchPort{}, Revision: switches.Revision}
		for _, s := range switches.Items {
			for _, port := range s.Ports {
				p.Items = append(p.Items, switchPort{s.DPID, port})
			}
		}
		return p, nil
	},
}

var memberKind = &rowKind[client.Member]{
	name: "members", singular: "member", id: "NAME", event: "member",
	header: []string{"NAME", "ADDRESS", "STATE", "LEADER", "SWITCHES"},
	cells: func(m client.Member) []string {
		return []string{m.Name, m.Address, m.State, yes(m.Leader), fmt.Sprint(m.Switches)}
	},
	key: func(m client.Member) string { return m.Name },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.Member], error) {
		return filtered(memberOf, id)(c.Members(ctx))
	},
	one: true,
	has: memberOf,
}

var appKind = &rowKind[client.App]{
	name: "apps", singular: "app", id: "NAME", one: true,
	header: []string{"NAME", "ENABLED", "STATE", "TEXT"},
	cells:  func(a client.App) []string { return []string{a.Name, yes(a.Enabled), a.State, a.Text} },
	key:    func(a client.App) string { return a.Name },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.App], error) {
		return filtered(func(a client.App, id string) bool { return a.Name == id }, id)(c.Apps(ctx))
	},
}

// linkOf says whether a link has an end at a switch, or both ends at two: DPID-DPID.
func linkOf(l client.Link, id string) bool {
	if a, b, both := strings.Cut(id, "-"); both {
		return sameDPID(l.Src.DPID, a) && sameDPID(l.Dst.DPID, b) || sameDPID(l.Src.DPID, b) && sameDPID(l.Dst.DPID, a)
	}
	return sameDPID(l.Src.DPID, id) || sameDPID(l.Dst.DPID, id)
}

func memberOf(m client.Member, id string) bool { return m.Name == id }

// single is a page of the one row that was asked for.
func single[T any](v *T, err error) (*client.Page[T], error) {
	if err != nil {
		return nil, err
	}
	return &client.Page[T]{Items: []T{*v}}, nil
}

// filtered keeps the rows that an id names; none at all is not found.
func filtered[T any](has func(T, string) bool, id string) func(*client.Page[T], error) (*client.Page[T], error) {
	return func(p *client.Page[T], err error) (*client.Page[T], error) {
		if err != nil || id == "" {
			return p, err
		}
		p.Items = slices.DeleteFunc(p.Items, func(v T) bool { return !has(v, id) })
		if len(p.Items) == 0 {
			return nil, &client.Problem{Title: http.StatusText(http.StatusNotFound), Status: http.StatusNotFound, Detail: fmt.Sprintf("there is no %q", id)}
		}
		return p, nil
	}
}

func sameDPID(dpid, given string) bool {
	v, err := client.ParseDPID(given)
	return err == nil && client.FormatDPID(v) == dpid
}

// The functions below make cells.

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func point(p client.Point) string { return p.DPID + "/" + portNumber(p.Port) }

// portNumber is a port's number; a switch's own port is "local".
func portNumber(n uint32) string {
	if n == config.PortLocal {
		return "local"
	}
	return fmt.Sprint(n)
}

// cookie is a cookie with all its digits, so that columns of them can be read.
func cookie(v client.Hex64) string { return fmt.Sprintf("0x%016x", uint64(v)) }

func number(v *uint64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(*v)
}

// count is a counter for people: decimal.
func count(v client.Hex64) string { return strconv.FormatUint(uint64(v), 10) }

func moment(t time.Time) string { return t.Format(time.RFC3339) }

// match is the fields of a match in order of name; any packet is "any".
func match(m map[string]string) string {
	if len(m) == 0 {
		return "any"
	}
	fields := make([]string, 0, len(m))
	for name, value := range m {
		fields = append(fields, name+"="+value)
	}
	slices.Sort(fields)
	return strings.Join(fields, ",")
}

// mostFlows is how many rules of all switches are shown together.
const mostFlows = 200_000

// allFlows are the rules of all switches, those of intents too, which the interface lists by switch only.
func allFlows(ctx context.Context, c *client.Client) (*client.Page[client.Flow], error) {
	switches, err := c.Switches(ctx)
	if err != nil {
		return nil, err
	}
	all := &client.Page[client.Flow]{Items: []client.Flow{}, Revision: switches.Revision}
	for _, s := range switches.Items {
		p, err := c.Flows(ctx, s.DPID)
		if err != nil {
			return nil, err
		}
		if all.Items = append(all.Items, p.Items...); len(all.Items) > mostFlows {
			return nil, fmt.Errorf("more than %d rules are wanted of all switches: weir get flows SWITCH lists those of one", mostFlows)
		}
	}
	return all, nil
}
