package config

import "time"

// Limits bound what clients and strangers can cost an instance, whatever they send. Each has an alarm of kind "limit", whose object is the
// path of its field ("limits.connections"), and a metric.
type Limits struct {
	Connections          uint64 `yaml:"connections" default:"4096" min:"256" max:"65536" restart:"true" admin:"true" doc:"Connections to the REST interface at a time; an eighth is kept for those without a valid token, such as probes of /healthz. One too many cuts the oldest that has shown no token, else the one that has been idle longest."`
	ConnectionsPerSource uint64 `yaml:"connections_per_source" default:"1024" min:"16" max:"65536" restart:"true" admin:"true" doc:"Of them, those that have shown no valid token, from one IPv4 address or one /64 of IPv6. One too many cuts the oldest of its source."`
	BatchItems           uint64 `yaml:"batch_items" default:"100000" min:"100" max:"500000" restart:"true" doc:"Items of one batch of intents, or ids of one withdrawal. More are refused whole (413); a stream may have any number."`
	StreamsPerToken      uint64 `yaml:"streams_per_token" default:"1024" min:"1" max:"2048" restart:"true" doc:"Event streams of one token at a time. One more is refused (429)."`
	SwitchConnections    uint64 `yaml:"switch_connections_per_source" default:"16384" min:"16" max:"1000000" restart:"true" admin:"true" doc:"Connections of switches from one IPv4 address or one /64 of IPv6. One too many cuts the oldest of its source that is in its handshake, and is refused where none is."`
	Handshakes           uint64 `yaml:"handshake_memory" default:"50331648" min:"1048576" max:"8589934592" restart:"true" admin:"true" doc:"Bytes, about, that are held of all switches together of what they have not said whole: of handshakes, and of answers in parts. Above it the connection that most is held of is ended."`
	SwitchPorts          uint64 `yaml:"switch_ports" default:"8192" min:"8" max:"65280" restart:"true" admin:"true" doc:"Ports of a switch. One that says at its handshake that it has more is refused; those that it reports later are ignored."`
	Ports                uint64 `yaml:"ports" default:"1000000" min:"1024" max:"100000000" restart:"true" admin:"true" doc:"Ports of all switches that are known, at about 1 KB each. For more, switches without a session are forgotten, those that were there for less than a minute first; then further ports are ignored."`
	SwitchNews           uint64 `yaml:"switch_news" default:"33554432" min:"1048576" max:"8589934592" restart:"true" doc:"Bytes, about, of what switches tell unasked of their flow entries (errors, entries that went or changed) that wait to be looked at, of all switches together. A switch may have an eighth of what is free; one that tells more is read instead."`
	// StoreAnswer bounds what a store that does not answer costs: the alarm is "store".
	StoreAnswer time.Duration `yaml:"store_answer" default:"5s" min:"100ms" max:"1m" restart:"true" admin:"true" doc:"How long a request waits for the store or the audit log before it is answered 503, with whether the outcome is unknown."`
}
