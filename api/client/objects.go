package client

import "context"

// Group is a group that is wanted at a switch, or that the switch has under a number of Weir's.
type Group struct {
	DPID    string   `json:"dpid" doc:"Datapath id, 16 hexadecimal digits."`
	Group   *uint32  `json:"group" doc:"Its number at the switch; null before it has one."`
	Type    string   `json:"type" enum:"all,select,indirect,ff" doc:"Which buckets take a packet: all, one by weight (select), the only one (indirect), or the first that is live (ff, fast failover)."`
	Buckets []Bucket `json:"buckets" nullable:"false" doc:"Empty if only the switch has it, and Weir does not write such content."`
	ObjectStatus
}

// Bucket is a list of actions of a group.
type Bucket struct {
	Weight     uint16   `json:"weight,omitempty" doc:"Of select: its share of the packets."`
	WatchPort  *uint32  `json:"watch_port,omitempty" doc:"The bucket is live while this port is up."`
	WatchGroup *uint32  `json:"watch_group,omitempty" doc:"The bucket is live while one of this group is; 0 before that has a number."`
	Actions    []string `json:"actions" nullable:"false" doc:"output:3, group:1048577, set_field:5->ip_dscp … group:0 is one that has no number yet."`
}

// Meter is a meter that is wanted at a switch, or that the switch has under a number of Weir's.
type Meter struct {
	DPID  string  `json:"dpid" doc:"Datapath id, 16 hexadecimal digits."`
	Meter *uint32 `json:"meter" doc:"Its number at the switch; null before it has one."`
	Unit  string  `json:"unit,omitempty" enum:"kbps,pktps" doc:"Of rates, a second: kilobits (bursts in kilobits) or packets (bursts in packets)."`
	Bands []Band  `json:"bands" nullable:"false" doc:"Of those whose rate is exceeded the one with the highest acts. Empty if only the switch has the meter, and Weir does not write such content."`
	ObjectStatus
}

// Band is a rate of a meter, and what happens to packets above it.
type Band struct {
	Type      string `json:"type" enum:"drop,dscp_remark"`
	Rate      uint32 `json:"rate"`
	Burst     uint32 `json:"burst,omitempty" doc:"Absent if that is left to the switch."`
	PrecLevel uint8  `json:"prec_level,omitempty" doc:"Of dscp_remark: by how much the drop precedence grows."`
}

// ObjectStatus is how far a group or meter has come.
type ObjectStatus struct {
	State  string `json:"state" enum:"wanted,waiting,sending,confirmed,refused,unwanted,deleting" doc:"wanted: sent next. waiting: likewise, once what the reason says is over. sending: sent, and not confirmed yet. confirmed: the switch has it. refused: the switch cannot have it, and the reason says why. unwanted: the switch has it, nobody wants it, and the reason says why it is not deleted yet. deleting: it is being deleted."`
	Reason string `json:"reason,omitempty"`
	Held   string `json:"held,omitempty" doc:"What the switch has under the number instead, as /v1/check says it; absent if it has the content, or nothing."`
	Rules  int    `json:"rules" doc:"Rules that are wanted with it, those that come to it by another group included."`
	Owners int    `json:"owners" doc:"Intents and applications that want these rules."`
}

// Groups returns the groups of one switch or, if dpid is empty, of all.
func (c *Client) Groups(ctx context.Context, dpid string) (*Page[Group], error) {
	return list[Group](ctx, c, "/v1/groups", "dpid", dpid)
}

// Meters returns the meters of one switch or, if dpid is empty, of all.
func (c *Client) Meters(ctx context.Context, dpid string) (*Page[Meter], error) {
	return list[Meter](ctx, c, "/v1/meters", "dpid", dpid)
}
