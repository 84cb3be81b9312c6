package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/config"
)

// resource is a kind of rows that weir get shows.
type resource[T any] struct {
	header  []string
	cells   func(T) []string // as many as header
	key     func(T) string
	list    func(ctx context.Context, c *client.Client, id string) (*client.Page[T], error)
	single  bool   // an ID names one row: its JSON is an object, not a list
	event   string // kind in the event stream; empty: there are none, and --watch polls
	matches func(T, string) bool
	named   bool // datapath ids in cells are shown as names
	wide    int  // so many of the last columns are shown with -o wide only
}

// columns returns those of a header or of a row's cells that a format shows.
func (k *resource[T]) columns(cells []string, f command.Format) []string {
	if f == command.FormatWide {
		return cells
	}
	return cells[:len(cells)-k.wide]
}

var switchResource = &resource[client.Switch]{
	single: true, event: "switch",
	header: []string{"DPID", "NAME", "CONNECTED", "STATE", "OPENFLOW", "ADDRESS", "MASTER", "PORTS", "SOFTWARE"},
	cells: func(s client.Switch) []string {
		return cells(s.DPID, s.Name, yesNo(s.Connected), s.State, s.OpenFlow, s.Address, s.Master, len(s.Ports),
			strings.TrimSpace(s.Hardware+" "+s.Software))
	},
	key:     func(s client.Switch) string { return s.DPID },
	list:    listOrOne((*client.Client).Switches, (*client.Client).Switch),
	matches: func(s client.Switch, id string) bool { return sameDPID(s.DPID, id) },
}

var linkResource = &resource[client.Link]{
	named: true, event: "link", wide: 1,
	header: []string{"SRC", "DST", "UP", "STATE", "CAPACITY_MBPS", "LATENCY_US", "COST", "WIDTH"},
	cells: func(l client.Link) []string {
		return cells(point(l.Src), point(l.Dst), yesNo(l.Up), l.State, number(l.CapacityMbps), number(l.LatencyUS), l.Cost,
			l.Width)
	},
	key: func(l client.Link) string { return point(l.Src) + " " + point(l.Dst) },
	list: filtered((*client.Client).Links, linkMatches,
		notFound{what: "link of", hint: "weir get links lists those that there are"}),
	matches: linkMatches,
}

var hostResource = &resource[client.Host]{
	named: true, single: true, event: "host",
	header: []string{"ID", "IPS", "AT", "STATE", "SEEN"},
	cells: func(h client.Host) []string {
		return []string{h.ID, strings.Join(h.IPs, ","), point(h.At), h.State, timestamp(h.Seen)}
	},
	key:     func(h client.Host) string { return h.ID },
	list:    listOrOne((*client.Client).Hosts, (*client.Client).Host),
	matches: func(h client.Host, id string) bool { return strings.EqualFold(h.ID, id) },
}

var flowResource = &resource[client.Flow]{
	named: true,
	header: []string{"SWITCH", "TABLE", "PRIORITY", "MATCH", "INSTRUCTIONS", "OWNER", "STATE", "PACKETS", "BYTES",
		"PACKETS_RATE", "RATE", "COOKIE"},
	cells: func(f client.Flow) []string {
		state := f.State
		if f.Reason != "" {
			state += ": " + f.Reason
		}
		return cells(f.DPID, f.Table, f.Priority, match(f.Match), strings.Join(f.Instructions, ","), f.Owner, state,
			optionalCount(f.Packets), optionalCount(f.Bytes), perSecond(f.PacketsRate), bitRate(f.BytesRate), cookie(f.Cookie))
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

var entryResource = &resource[client.FlowEntry]{
	named: true,
	header: []string{"SWITCH", "TABLE", "PRIORITY", "MATCH", "INSTRUCTIONS", "PACKETS", "BYTES", "DURATION", "IDLE",
		"HARD", "COOKIE"},
	cells: func(f client.FlowEntry) []string {
		return cells(f.DPID, f.Table, f.Priority, match(f.Match), strings.Join(f.Instructions, ","),
			count(f.Packets), count(f.Bytes), f.DurationSec, f.IdleTimeout, f.HardTimeout, cookie(f.Cookie))
	},
	key: func(f client.FlowEntry) string {
		return fmt.Sprint(f.DPID, " ", f.Table, " ", f.Priority, " ", match(f.Match))
	},
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.FlowEntry], error) {
		return c.Entries(ctx, id)
	},
}

var countersResource = &resource[client.PortCounters]{
	named: true,
	header: []string{"NUMBER", "NAME", "UP", "SPEED_MBPS", "ROLE", "RX", "TX", "RX_PACKETS", "TX_PACKETS", "RX_RATE", "TX_RATE",
		"RX_DROPPED", "TX_DROPPED", "RX_ERRORS", "TX_ERRORS", "AS_OF"},
	cells: func(p client.PortCounters) []string {
		return []string{portNumber(p.Number), p.Name, yesNo(p.Up), number(p.SpeedMbps), p.Role, optionalBytes(p.RxBytes),
			optionalBytes(p.TxBytes), optionalQuantity(p.RxPackets), optionalQuantity(p.TxPackets),
			bitRate(p.RxBytesRate), bitRate(p.TxBytesRate), optionalCount(p.RxDropped), optionalCount(p.TxDropped),
			optionalCount(p.RxErrors), optionalCount(p.TxErrors), optionalTimestamp(p.AsOf)}
	},
	key: func(p client.PortCounters) string { return fmt.Sprint(p.Number) },
	list: func(ctx context.Context, c *client.Client, id string) (*client.Page[client.PortCounters], error) {
		return c.Ports(ctx, id)
	},
}

// switchPort is a port with its switch, as get ports without an ID shows it.
type switchPort struct {
	DPID string `json:"dpid"`
	client.Port
}

var portResource = &resource[switchPort]{
	named:  true,
	header: []string{"SWITCH", "NUMBER", "NAME", "MAC", "UP", "SPEED_MBPS", "ROLE"},
	cells: func(p switchPort) []string {
		return []string{p.DPID, portNumber(p.Number), p.Name, p.MAC, yesNo(p.Up), number(p.SpeedMbps), p.Role}
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

var memberResource = &resource[client.Member]{
	event:  "member",
	header: []string{"NAME", "ADDRESS", "PEER", "STATE", "OWNER", "LEADER", "SWITCHES"},
	cells: func(m client.Member) []string {
		return []string{m.Name, m.Address, m.Peer, m.State, yesNo(m.Owner), yesNo(m.Leader), fmt.Sprint(m.Switches)}
	},
	key: func(m client.Member) string { return m.Name },
	list: filtered((*client.Client).Members, memberMatches,
		notFound{what: "member", hint: "weir get members lists those that there are"}),
	single:  true,
	matches: memberMatches,
}

var appResource = &resource[client.App]{
	single: true,
	header: []string{"NAME", "ENABLED", "STATE", "TEXT"},
	cells:  func(a client.App) []string { return []string{a.Name, yesNo(a.Enabled), a.State, a.Text} },
	key:    func(a client.App) string { return a.Name },
	list: filtered((*client.Client).Apps, func(a client.App, id string) bool { return a.Name == id },
		notFound{what: "application", hint: "weir get apps lists those that there are"}),
}

// linkMatches reports whether a link has an end at a switch, or joins two: DPID-DPID.
func linkMatches(l client.Link, id string) bool {
	if a, b, both := strings.Cut(id, "-"); both {
		return sameDPID(l.Src.DPID, a) && sameDPID(l.Dst.DPID, b) || sameDPID(l.Src.DPID, b) && sameDPID(l.Dst.DPID, a)
	}
	return sameDPID(l.Src.DPID, id) || sameDPID(l.Dst.DPID, id)
}

func memberMatches(m client.Member, id string) bool { return m.Name == id }

// lister lists the rows that an id names, or all.
type lister[T any] func(ctx context.Context, c *client.Client, id string) (*client.Page[T], error)

// listOrOne lists all rows, or a page of the one that an id names.
func listOrOne[T any](all func(*client.Client, context.Context) (*client.Page[T], error),
	one func(*client.Client, context.Context, string) (*T, error),
) lister[T] {
	return func(ctx context.Context, c *client.Client, id string) (*client.Page[T], error) {
		if id == "" {
			return all(c, ctx)
		}
		v, err := one(c, ctx, id)
		if err != nil {
			return nil, err
		}
		return &client.Page[T]{Items: []T{*v}}, nil
	}
}

// notFound is the error of an id without rows; hint tells where to look.
type notFound struct{ what, id, hint string }

func (e *notFound) Error() string { return fmt.Sprintf("there is no %s %q: %s", e.what, e.id, e.hint) }

// filtered lists all rows and keeps those that an id names; without any it returns the error none
// for that id.
func filtered[T any](
	all func(*client.Client, context.Context) (*client.Page[T], error), has func(T, string) bool, none notFound,
) lister[T] {
	return func(ctx context.Context, c *client.Client, id string) (*client.Page[T], error) {
		p, err := all(c, ctx)
		if err != nil || id == "" {
			return p, err
		}
		p.Items = slices.DeleteFunc(p.Items, func(v T) bool { return !has(v, id) })
		if len(p.Items) == 0 {
			missing := none
			missing.id = id
			return nil, &missing
		}
		return p, nil
	}
}

func sameDPID(dpid, given string) bool {
	v, err := client.ParseDPID(given)
	return err == nil && client.FormatDPID(v) == dpid
}

// The functions below format cells.

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func point(p client.Point) string { return p.DPID + "/" + portNumber(p.Port) }

// portNumber formats a port number; OFPP_LOCAL is "local".
func portNumber(n uint32) string {
	if n == config.PortLocal {
		return "local"
	}
	return fmt.Sprint(n)
}

// cookie formats a cookie with all its digits, so that they align.
func cookie(v client.Hex64) string { return fmt.Sprintf("0x%016x", uint64(v)) }

func number(v *uint64) string {
	return optional(v, func(v uint64) string { return fmt.Sprint(v) })
}

// count formats a counter in decimal.
func count(v client.Hex64) string { return strconv.FormatUint(uint64(v), 10) }

func timestamp(t time.Time) string { return t.Format(time.RFC3339) }

// match lists the fields of a match by name; an empty match is "any".
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

// maxFlows bounds the rules of all switches that are listed together.
const maxFlows = 200_000

// allFlows lists the rules of all switches. The API lists those of intents by switch only.
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
		if all.Items = append(all.Items, p.Items...); len(all.Items) > maxFlows {
			return nil,
				fmt.Errorf("more than %d rules in all switches, want fewer: weir get flows SWITCH lists those of one", maxFlows)
		}
	}
	return all, nil
}
