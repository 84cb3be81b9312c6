package client

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const tenantsPath = "/v1/tenants"

// TenantDefinition is what an operator says of a tenant.
type TenantDefinition struct {
	Name   string `json:"name,omitempty" maxLength:"64" doc:"Lower-case letters, digits and hyphens. In a request it may be left out: the path has it."`
	Number uint16 `json:"number,omitempty" maximum:"1023" doc:"1 to 1023: that of the tenant in cookies. In a request it may be left out: one is assigned, which never changes."`
	// Ports are DPID/PORT, DPID/* for all ports of a switch, or * for all ports of all switches.
	Ports       []string       `json:"ports" nullable:"false" doc:"Where the tenant's packets come in and go out: DPID/PORT, DPID/* for all ports of a switch, or * for all ports of all switches."`
	Space       []TenantRegion `json:"space,omitempty" nullable:"false" doc:"Which packets are the tenant's; left out: all at its ports, which are no other tenant's then."`
	Controllers []string       `json:"controllers,omitempty" nullable:"false" doc:"Which controllers each switch of the tenant is connected to: tcp:HOST:PORT or ssl:HOST:PORT, IPv6 addresses in brackets."`
	Limits      *TenantLimits  `json:"limits,omitempty" doc:"What it may have at each of its switches."`
	Reactive    bool           `json:"reactive,omitempty" doc:"At switches with one table for all (OpenFlow 1.0, or fewer than three tables) the tenant's have many tables, and what does not fit into the one has packets be handled by Weir, and by micro-flows."`
}

// TenantLimits are what a tenant may have at each of its switches.
type TenantLimits struct {
	Entries   int `json:"entries,omitempty" maximum:"10000000" doc:"Flow entries of all tables together; left out: 100000."`
	Groups    int `json:"groups,omitempty" maximum:"10000000" doc:"Left out: 4096."`
	Meters    int `json:"meters,omitempty" maximum:"10000000" doc:"Left out: 4096."`
	Messages  int `json:"messages,omitempty" maximum:"10000000" doc:"That are read of a connection in a second; left out: all."`
	PacketIns int `json:"packet_ins,omitempty" maximum:"10000000" doc:"That are shown in a second; left out: all."`
	// WaitingBytes is of each connection.
	WaitingBytes int `json:"waiting_bytes,omitempty" maximum:"10000000" doc:"That wait for a controller which does not read, at least 65536; more are lost. Left out: 4194304."`
	Mbps         int `json:"mbps,omitempty" maximum:"4000000" doc:"Megabits a second of its packets that pass at each switch which has meters, of all its ports together; left out: all."`
}

// TenantLimit is one of the limits.
type TenantLimit struct {
	Name  string // in JSON
	Value *int   // 0: left out
}

// All returns the limits, with or without a value.
func (l *TenantLimits) All() []TenantLimit {
	return []TenantLimit{{"entries", &l.Entries}, {"groups", &l.Groups}, {"meters", &l.Meters}, {"messages", &l.Messages},
		{"packet_ins", &l.PacketIns}, {"waiting_bytes", &l.WaitingBytes}, {"mbps", &l.Mbps}}
}

// TenantRegion is a part of a tenant's space.
type TenantRegion struct {
	Priority uint16   `json:"priority,omitempty" minimum:"1" maximum:"1000" doc:"1 to 1000: of the regions that a packet is in, the highest one says whose it is. A read-only region has none."`
	Match    Selector `json:"match" doc:"Fields by their OpenFlow 1.3 names: a value, VALUE/MASK or a range LOW-HIGH, which is as many regions as it takes, 1000 of all at most; prerequisites are filled in."`
	ReadOnly bool     `json:"read_only,omitempty" doc:"The tenant is shown copies of the region's packets that switches show at its ports, whose they may be. It does not own them, and may neither write entries for them nor send them."`
}

// ReadOnlyRegion is what a read-only region has in text in place of a priority.
const ReadOnlyRegion = "read-only"

// String is the region as weir tenant add takes it: PRIORITY:FIELD=VALUE,FIELD=VALUE, or read-only:FIELD=VALUE.
func (r TenantRegion) String() string {
	fields := make([]string, 0, len(r.Match))
	for _, name := range slices.Sorted(maps.Keys(r.Match)) {
		fields = append(fields, name+"="+r.Match[name])
	}
	if r.ReadOnly {
		return ReadOnlyRegion + ":" + strings.Join(fields, ",")
	}
	return fmt.Sprintf("%d:%s", r.Priority, strings.Join(fields, ","))
}

// Tenant is a tenant as an instance has it.
type Tenant struct {
	TenantDefinition
	ETag    string       `json:"etag,omitempty" doc:"Of the definition; If-Match takes it."`
	Created *time.Time   `json:"created,omitempty"`
	By      string       `json:"by,omitempty" doc:"Who made it."`
	Problem string       `json:"problem,omitempty" doc:"Why it is not in force: the store's record of it is damaged, of a newer version, or contradicts another tenant's. It can be deleted."`
	State   *TenantState `json:"state,omitempty" doc:"How it is served; left out where this instance serves no tenants."`
}

// TenantState is how a tenant is served.
type TenantState struct {
	Switches    []TenantSwitch `json:"switches" nullable:"false" doc:"Those at which it has ports."`
	UsedMS      int64          `json:"used_ms" doc:"How long messages of its controllers were worked on, in milliseconds, since it is served: of all processors together."`
	TurnsWaited uint64         `json:"turns_waited" doc:"How many times its controllers' messages waited for a turn at the processors, as others had theirs or it had used up its share."`
	WaitedMS    int64          `json:"waited_ms" doc:"How long these waited, in milliseconds, of all its connections together."`
	// NotEnforced is about the definition as a whole; each switch says more.
	NotEnforced []string `json:"not_enforced,omitempty" nullable:"false" doc:"Limits of the definition that are not in force at all of these switches: mbps, as some have no meters. bandwidth_problem of the switches says why."`
}

// TenantSwitch is one switch as a tenant has it.
type TenantSwitch struct {
	DPID        string             `json:"dpid"`
	Connected   bool               `json:"connected" doc:"The physical switch has a session with this instance."`
	Controllers []TenantConnection `json:"controllers" nullable:"false" doc:"By address."`
	Entries     int                `json:"entries" doc:"Flow entries that the tenant's controllers have put there."`
	Groups      int                `json:"groups"`
	Meters      int                `json:"meters"`
	Ports       []uint32           `json:"ports" nullable:"false" doc:"Those that it has there now: of a link, only with the other end."`
	LostIns     uint64             `json:"lost_packet_ins" doc:"Packet-ins that were not shown, as there were more in a second than it may have."`
	LostWaiting uint64             `json:"lost_waiting" doc:"Messages that were lost, as too many bytes waited for a controller which did not read them."`
	Paced       uint64             `json:"paced_messages" doc:"Messages of controllers that waited, as there were more in a second than it may send."`
	Waiting     int                `json:"waiting" doc:"Rules of which the physical switch has not yet said whether it has them."`
	// Reactive and what follows are of tenants that may be reactive, at a switch with one table.
	Reactive   bool   `json:"reactive,omitempty" doc:"Its entries do not fit into the physical switch: this has micro-flows of packets that came, and Weir handles the others."`
	MicroFlows int    `json:"micro_flows,omitempty" doc:"How many there are."`
	Handled    uint64 `json:"handled,omitempty" doc:"Packets that Weir has handled itself, instead of the physical switch."`
	// BandwidthProblem is about limits.mbps.
	BandwidthProblem string `json:"bandwidth_problem,omitempty" doc:"Why the limit mbps is not in force at this switch: all packets pass."`
	// CountersAsOf is when the physical switch was asked for what its entries have counted.
	CountersAsOf  *time.Time `json:"counters_as_of,omitempty" doc:"When the physical switch was asked for the counters of entries, with which controllers are answered; left out: they are not known, and all ones."`
	CountersAgeMS int64      `json:"counters_age_ms,omitempty" doc:"How old these were, in milliseconds, when this answer was made. They are read when a controller asks."`

	Restarted *TenantRestart `json:"restarted,omitempty" doc:"Its tables were empty when Weir was started, though they had not been when it ended."`
}

// TenantRestart is why a switch of a tenant has begun with empty tables.
type TenantRestart struct {
	At     time.Time `json:"at"`
	Reason string    `json:"reason"`
}

// TenantConnection is that of a switch of a tenant to one of its controllers.
type TenantConnection struct {
	Address   string     `json:"address" doc:"As in the definition."`
	State     string     `json:"state" enum:"connected,connecting,backoff" doc:"backoff: it is tried again after a while."`
	Role      string     `json:"role,omitempty" doc:"That the controller has asked for: equal, master or slave."`
	Since     *time.Time `json:"since,omitempty" doc:"Of the state."`
	Error     string     `json:"error,omitempty" doc:"Why it is not connected."`
	RetryInMS int64      `json:"retry_in_ms,omitempty" doc:"Milliseconds until the next try."`
}

// TenantChange is what a request changed of a tenant, or would change.
type TenantChange struct {
	DryRun  bool          `json:"dry_run" doc:"Nothing was changed: it is said what would be."`
	Changes []FieldChange `json:"changes" nullable:"false" doc:"What differs from before; none if nothing does."`
	Tenant  *Tenant       `json:"tenant,omitempty" doc:"As it is then; left out of one that is deleted."`
}

// FieldChange is a field that has another value.
type FieldChange struct {
	Path string `json:"path" doc:"Such as number, ports or space."`
	Old  string `json:"old" doc:"Empty: it was not there."`
	New  string `json:"new" doc:"Empty: it is not there any more."`
}

// TenantOptions say how a tenant is changed.
type TenantOptions struct {
	New     bool   // only if there is none of that name (If-None-Match: *)
	IfMatch string // only if its etag is this; empty: whatever it is
	DryRun  bool   // change nothing, and say what would change
}

func (o *TenantOptions) header() http.Header {
	h := http.Header{}
	if o.New {
		h.Set("If-None-Match", "*")
	}
	if o.IfMatch != "" {
		h.Set("If-Match", `"`+o.IfMatch+`"`)
	}
	return h
}

// Tenants lists the tenants by name; with a token of role tenant, its own alone.
func (c *Client) Tenants(ctx context.Context) (*Page[Tenant], error) {
	return list[Tenant](ctx, c, tenantsPath)
}

// Tenant is the tenant of that name.
func (c *Client) Tenant(ctx context.Context, name string) (*Tenant, error) {
	return item[Tenant](ctx, c, tenantPath(name))
}

// PutTenant makes the tenant of a name, or gives it another definition.
func (c *Client) PutTenant(ctx context.Context, d *TenantDefinition, o TenantOptions) (*TenantChange, error) {
	body, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	header := o.header()
	header.Set("Content-Type", "application/json")
	return exchange[TenantChange](ctx, c, http.MethodPut, tenantPath(d.Name), queryOf("dry_run", flag(o.DryRun)), header, body)
}

// DeleteTenant deletes a tenant.
func (c *Client) DeleteTenant(ctx context.Context, name string, o TenantOptions) (*TenantChange, error) {
	query := queryOf("dry_run", flag(o.DryRun))
	return exchange[TenantChange](ctx, c, http.MethodDelete, tenantPath(name), query, o.header(), nil)
}

func tenantPath(name string) string { return tenantsPath + "/" + url.PathEscape(name) }
