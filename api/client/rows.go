package client

import "time"

// Page is one page of a list, and the revision of the view that it was read at.
type Page[T any] struct {
	Items    []T    `json:"items" doc:"The rows, in order of their keys." nullable:"false"`
	Revision string `json:"revision" doc:"The revision of the view that the list was read at. Opaque. ?at_least= and Last-Event-ID take it."`
	Continue string `json:"continue,omitempty" doc:"There is more: give this as ?continue= within 60 s. Opaque."`
}

// Point is a connect point: a port of a switch.
type Point struct {
	DPID string `json:"dpid" doc:"Datapath id, 16 hexadecimal digits."`
	Port uint32 `json:"port" doc:"Port number of OpenFlow 1.3."`
}

// Member is one Weir instance of the cluster.
type Member struct {
	Name     string `json:"name"`
	Address  string `json:"address" doc:"Of its API; empty: it is not known."`
	Peer     string `json:"peer,omitempty" doc:"Where the others reach it (--peer); absent: the store is elsewhere."`
	State    string `json:"state" doc:"ready, standby, or what keeps it from being ready; owner of one that another tells of; learning: it is sent what the others know; starting: it runs, and does not stand by yet; waiting: it runs, and its store does not serve yet; away: it is not running, or is not reached."`
	Owner    bool   `json:"owner" doc:"It decides for the network, and is the master of its switches."`
	Leader   bool   `json:"leader" doc:"Leads the store."`
	Switches int    `json:"switches" doc:"Number of connected switches that it is master of."`
}

// MemberRequest is a member to be added.
type MemberRequest struct {
	Peer string `json:"peer" maxLength:"255" doc:"The address of its peer port, HOST:PORT."`
}

// App is a built-in application.
type App struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
	State   string `json:"state" doc:"running, disabled, or what keeps it from running."`
	Text    string `json:"text,omitempty" doc:"What it does, in a line."`
	// Settings are those that it declares, in package config's form.
	Settings []AppSetting `json:"settings,omitempty" doc:"What the configuration may say of it."`
}

// AppSetting is one of an application's settings.
type AppSetting struct {
	Path    string `json:"path" doc:"The field in the configuration."`
	Values  string `json:"values" doc:"What it may be."`
	Default string `json:"default,omitempty"`
	Restart bool   `json:"restart,omitempty" doc:"A change holds from the next start."`
	Text    string `json:"text"`
}

// Switch is a switch as its handshake and its port statuses describe it.
type Switch struct {
	DPID         string    `json:"dpid" doc:"Datapath id, 16 hexadecimal digits."`
	Name         string    `json:"name"`
	Connected    bool      `json:"connected"`
	State        string    `json:"state" doc:"ready, or disconnected: what is known of it stays."`
	OpenFlow     string    `json:"openflow" doc:"Version spoken with it: 1.0 or 1.3."`
	Address      string    `json:"address" doc:"Its end of the control connection."`
	Master       string    `json:"master" doc:"Name of the instance that may write to it, connected or not; empty if nobody is known to."`
	Manufacturer string    `json:"manufacturer"`
	Hardware     string    `json:"hardware"`
	Software     string    `json:"software"`
	Serial       string    `json:"serial"`
	Tables       uint8     `json:"tables" doc:"Number of flow tables."`
	Since        time.Time `json:"since" doc:"When connected last changed."`
	Ports        []Port    `json:"ports" nullable:"false" doc:"In order of number."`
	Sync         *Sync     `json:"sync,omitempty" doc:"How the switch is kept as wanted; of one switch only."`
}

// Port is a port of a switch.
type Port struct {
	Number    uint32  `json:"number" doc:"Port number of OpenFlow 1.3."`
	Name      string  `json:"name"`
	MAC       string  `json:"mac"`
	Up        bool    `json:"up" doc:"Neither administratively down nor without carrier."`
	SpeedMbps *uint64 `json:"speed_mbps" doc:"Mbit/s; null if the switch does not say."`
	Role      string  `json:"role" doc:"What is behind it: unknown, edge (hosts), link (another switch) or blocked (hosts, and a way to another port of ours)."`
}

// PortCounters is a port and its counters, as the switch was last heard to have them at AsOf. What
// it does not count, or was not heard to, is null; so are rates where there is no earlier answer to
// compare with.
type PortCounters struct {
	Port
	RxPackets *Hex64 `json:"rx_packets" doc:"Null if the switch does not count it, or has not been heard yet; so are all." pattern:"^0x[0-9a-f]+$"`
	TxPackets *Hex64 `json:"tx_packets" pattern:"^0x[0-9a-f]+$"`
	RxBytes   *Hex64 `json:"rx_bytes" pattern:"^0x[0-9a-f]+$"`
	TxBytes   *Hex64 `json:"tx_bytes" pattern:"^0x[0-9a-f]+$"`
	RxDropped *Hex64 `json:"rx_dropped" pattern:"^0x[0-9a-f]+$"`
	TxDropped *Hex64 `json:"tx_dropped" pattern:"^0x[0-9a-f]+$"`
	RxErrors  *Hex64 `json:"rx_errors" pattern:"^0x[0-9a-f]+$"`
	TxErrors  *Hex64 `json:"tx_errors" pattern:"^0x[0-9a-f]+$"`

	RxPacketsRate *float64 `json:"rx_packets_rate" doc:"Packets a second between the last two answers; null if nobody can tell."`
	TxPacketsRate *float64 `json:"tx_packets_rate" doc:"Packets a second."`
	RxBytesRate   *float64 `json:"rx_bytes_rate" doc:"Bytes a second."`
	TxBytesRate   *float64 `json:"tx_bytes_rate" doc:"Bytes a second."`
	RxDroppedRate *float64 `json:"rx_dropped_rate" doc:"Packets a second."`
	TxDroppedRate *float64 `json:"tx_dropped_rate" doc:"Packets a second."`
	RxErrorsRate  *float64 `json:"rx_errors_rate" doc:"Errors a second."`
	TxErrorsRate  *float64 `json:"tx_errors_rate" doc:"Errors a second."`

	AsOf *time.Time `json:"as_of" doc:"When the switch answered; null if it has not yet."`
}

// TableCounters is a flow table of a switch: table 0, or one that has entries or was looked up.
type TableCounters struct {
	Table       uint8     `json:"table"`
	Entries     uint32    `json:"entries" doc:"Flow entries in it, anybody's."`
	MaxEntries  *uint64   `json:"max_entries" doc:"How many fit; null if the switch does not say (OpenFlow 1.3)."`
	Lookups     *Hex64    `json:"lookups" doc:"Packets looked up in it; null if the switch does not count them." pattern:"^0x[0-9a-f]+$"`
	Matched     *Hex64    `json:"matched" doc:"Packets that an entry of it matched; null if the switch does not count them." pattern:"^0x[0-9a-f]+$"`
	LookupsRate *float64  `json:"lookups_rate" doc:"Packets a second between the last two answers; null if nobody can tell."`
	MatchedRate *float64  `json:"matched_rate" doc:"Packets a second."`
	AsOf        time.Time `json:"as_of" doc:"When the switch answered."`
}

// SwitchCounters are a switch's sums. Those over flow entries are as the switch itself adds them
// up, and go back when entries go; those over ports begin when the instance came to know the
// switch, and never go back.
type SwitchCounters struct {
	DPID        string     `json:"dpid" doc:"Datapath id, 16 hexadecimal digits."`
	FlowEntries *uint32    `json:"flow_entries" doc:"Anybody's flow entries, of all tables; null if the switch has not answered yet."`
	FirmEntries *uint32    `json:"firm_entries" doc:"Of them, Weir's firm ones but those of intents: those of /v1/flows that are not soft; null of OpenFlow 1.0."`
	FlowPackets *Hex64     `json:"flow_packets" pattern:"^0x[0-9a-f]+$"`
	FlowBytes   *Hex64     `json:"flow_bytes" pattern:"^0x[0-9a-f]+$"`
	FlowsAsOf   *time.Time `json:"flows_as_of"`
	RxPackets   Hex64      `json:"rx_packets" pattern:"^0x[0-9a-f]+$"`
	TxPackets   Hex64      `json:"tx_packets" pattern:"^0x[0-9a-f]+$"`
	RxBytes     Hex64      `json:"rx_bytes" pattern:"^0x[0-9a-f]+$"`
	TxBytes     Hex64      `json:"tx_bytes" pattern:"^0x[0-9a-f]+$"`
	PortsAsOf   *time.Time `json:"ports_as_of"`
}

// Link is one direction of a link. A link that is down stays, as Up false, for 60 seconds.
type Link struct {
	Src   Point  `json:"src"`
	Dst   Point  `json:"dst"`
	Up    bool   `json:"up"`
	State string `json:"state" enum:"confirmed,unconfirmed,indirect,shared,draining"`

	CapacityMbps *uint64 `json:"capacity_mbps" doc:"Mbit/s; null if not known."`
	ReservedMbps *uint64 `json:"reserved_mbps" doc:"Mbit/s reserved; null where nothing reserves."`
	LatencyUS    *uint64 `json:"latency_us" doc:"Microseconds; null if not known."`
	Width        string  `json:"width" enum:"unknown,narrow,full" doc:"full: it carries frames of discovery.link_frame bytes; narrow: shorter ones only; unknown: not found out."`
	Cost         uint64  `json:"cost" doc:"What a path pays for it; 1 unless configured."`
	Source       Source  `json:"source" doc:"Where each value is from."`
}

// Source says where each value of a link is from; a value that is null has none.
type Source struct {
	CapacityMbps string `json:"capacity_mbps,omitempty" enum:"configured,port,measured"`
	ReservedMbps string `json:"reserved_mbps,omitempty" enum:"configured,port,measured"`
	LatencyUS    string `json:"latency_us,omitempty" enum:"configured,port,measured"`
	Cost         string `json:"cost,omitempty" enum:"configured,default"`
}

// Host is an end station.
type Host struct {
	ID    string    `json:"id" doc:"MAC, or MAC/vlan."`
	MAC   string    `json:"mac"`
	VLAN  uint16    `json:"vlan" doc:"0 if untagged."`
	IPs   []string  `json:"ips" nullable:"false"`
	At    Point     `json:"at" doc:"The port it is at."`
	Seen  time.Time `json:"seen"`
	State string    `json:"state" doc:"confirmed, or unconfirmed: its switch's session is gone or its port is down."`
}

// Flow is a rule that is wanted on a switch, and how far it has come.
type Flow struct {
	DPID         string            `json:"dpid" doc:"Datapath id, 16 hexadecimal digits."`
	Table        uint8             `json:"table"`
	Priority     uint16            `json:"priority"`
	Match        map[string]string `json:"match" nullable:"false" doc:"Fields by their OpenFlow 1.3 names; prerequisites filled in."`
	Instructions []string          `json:"instructions" nullable:"false" doc:"In order: apply:[output:3], goto_table:1, meter:2 …"`
	Owner        string            `json:"owner" doc:"Who wants it, such as intent 7, or tenant blue."`
	Cookie       Hex64             `json:"cookie" pattern:"^0x[0-9a-f]+$"`
	State        string            `json:"state" enum:"pending,installed,failed"`
	Reason       string            `json:"reason,omitempty" doc:"Why it failed."`
	Soft         bool              `json:"soft" doc:"Has a time-out: the switch is the truth about it."`
	Packets      *Hex64            `json:"packets" doc:"Null if not known: of soft rules, of intents (GET /v1/intents/{id}/traffic), of OpenFlow 1.0, and until the switch has answered." pattern:"^0x[0-9a-f]+$"`
	Bytes        *Hex64            `json:"bytes" doc:"Null likewise." pattern:"^0x[0-9a-f]+$"`
	PacketsRate  *float64          `json:"packets_rate" doc:"Packets a second between the last two answers; null if nobody can tell: the entry is new, or began anew."`
	BytesRate    *float64          `json:"bytes_rate" doc:"Bytes a second, likewise."`
	AsOf         *time.Time        `json:"as_of" doc:"When the switch answered with packets and bytes; null without them."`
}

// FlowEntry is a flow entry as the switch itself answers it.
type FlowEntry struct {
	DPID         string            `json:"dpid" doc:"Datapath id, 16 hexadecimal digits."`
	Table        uint8             `json:"table"`
	Priority     uint16            `json:"priority"`
	Match        map[string]string `json:"match" nullable:"false" doc:"Fields by their OpenFlow 1.3 names."`
	Instructions []string          `json:"instructions" nullable:"false"`
	Cookie       Hex64             `json:"cookie" pattern:"^0x[0-9a-f]+$"`
	Packets      Hex64             `json:"packets" pattern:"^0x[0-9a-f]+$"`
	Bytes        Hex64             `json:"bytes" pattern:"^0x[0-9a-f]+$"`
	DurationSec  uint32            `json:"duration_sec" doc:"Seconds since it was installed."`
	IdleTimeout  uint16            `json:"idle_timeout" doc:"Seconds; 0 is never."`
	HardTimeout  uint16            `json:"hard_timeout" doc:"Seconds; 0 is never."`
}

// Hop is a switch on a path: in by one port, out by another.
type Hop struct {
	DPID string  `json:"dpid" doc:"Datapath id, 16 hexadecimal digits."`
	In   *uint32 `json:"in" doc:"Port that traffic comes in by; null at the start of a path from a switch."`
	Out  *uint32 `json:"out" doc:"Port that traffic goes out by; null at the end of a path to a switch."`
}

// Path is a way through the network.
type Path struct {
	Hops []Hop  `json:"hops" nullable:"false"`
	Cost uint64 `json:"cost" doc:"Sum of the costs of its links."`
	// InUse says that what two hosts send takes the path now, by rules that the system has made for
	// it.
	InUse bool `json:"in_use" doc:"Packets of the two hosts take it now, by rules of the system."`
	// Intents are those whose packets take the path, all of it and perhaps more: of thousands not
	// all.
	Intents []string `json:"intents,omitempty" doc:"Ids of intents whose packets take it, all of it and perhaps more; of more than a thousand between the two ends not all."`
}
