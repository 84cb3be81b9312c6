package config

import "time"

// Limits bound what clients and strangers can cost an instance, whatever they send. Each has an
// alarm of kind "limit", whose object is the path of its field ("limits.connections"), and a
// metric.
type Limits struct {
	Connections          uint64 `yaml:"connections" default:"4096" min:"256" max:"65536" restart:"true" admin:"true" doc:"Connections to the REST interface at a time; an eighth is kept for those without a valid token, such as probes of /healthz. Beyond that the oldest without a valid token is closed, else the longest idle one."`
	ConnectionsPerSource uint64 `yaml:"connections_per_source" default:"1024" min:"16" max:"65536" restart:"true" admin:"true" doc:"Of them, those without a valid token from one IPv4 address or one /64 of IPv6. Beyond that the oldest of the source is closed."`
	BatchItems           uint64 `yaml:"batch_items" default:"100000" min:"100" max:"500000" restart:"true" doc:"Items of one batch of intents, or ids of one withdrawal. More are refused whole (413); a stream may have any number."`
	StreamsPerToken      uint64 `yaml:"streams_per_token" default:"1024" min:"1" max:"2048" restart:"true" doc:"Event streams of one token at a time. One more is refused (429)."`
	SwitchConnections    uint64 `yaml:"switch_connections_per_source" default:"16384" min:"16" max:"1000000" restart:"true" admin:"true" doc:"Connections of switches from one IPv4 address or one /64 of IPv6. Beyond that the oldest of the source in its handshake is closed, or the new one is refused."`
	Handshakes           uint64 `yaml:"handshake_memory" default:"33554432" min:"1048576" max:"8589934592" restart:"true" admin:"true" doc:"Bytes, approximately, of incomplete messages of all switches together: handshakes, and multipart replies. Above it the connection that holds most is closed. Half of it also bounds the ports of unknown switches, 2 KiB for each above 512 of a switch, in the first minute of its session: without room a switch is refused until others are known. Known are those with TLS, on the allow list, named in switches, or remembered."`
	SwitchPorts          uint64 `yaml:"switch_ports" default:"8192" min:"8" max:"65280" restart:"true" admin:"true" doc:"Ports of a switch. One that has more at its handshake is refused; those that it reports later are ignored."`
	Ports                uint64 `yaml:"ports" default:"1000000" min:"1024" max:"100000000" restart:"true" admin:"true" doc:"Ports of all switches that are known, at about 3 KB each, garbage included. Beyond that disconnected switches are forgotten, those that were connected for less than a minute first; then further ports are ignored."`
	SwitchNews           uint64 `yaml:"switch_news" default:"33554432" min:"1048576" max:"8589934592" restart:"true" doc:"Bytes, approximately, of queued asynchronous messages about flow entries (errors, removed or changed entries), of all switches together. A switch may have an eighth of what is free; the tables of one that sends more are read instead."`
	SwitchListings       uint64 `yaml:"switch_listings" default:"268435456" min:"1048576" max:"8589934592" restart:"true" doc:"Bytes, approximately, of flow statistics kept from all switches together, except for rules of intents. A switch may have a quarter of what is free. Beyond that, entries with timeouts and foreign entries are only counted; a switch with more entries with our cookies is read again later."`
	// StoreAnswer bounds what a store that does not answer costs: the alarm is "store".
	StoreAnswer time.Duration `yaml:"store_answer" default:"5s" min:"100ms" max:"1m" restart:"true" admin:"true" doc:"Timeout of a request for the store or the audit log: then it is answered 503, which says whether the outcome is unknown."`
}
