package config

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// Config is a configuration file. The tags are the schema: "yaml" is a field's name, "default" its default, "min", "max" and
// "enum" bound it, "restart" says that a change holds from the next start, and "admin" that the role operator must not change it.
// A field of the zero value says nothing.
type Config struct {
	Name      string                  `yaml:"name" default:"weir-1" restart:"true" admin:"true" doc:"Name of the instance."`
	Domain    uint64                  `yaml:"domain" default:"1" min:"1" max:"4095" restart:"true" admin:"true" doc:"Number of this Weir in the cookies of its rules; two that share a switch need different ones."`
	OpenFlow  OpenFlow                `yaml:"openflow" doc:"The side of the switches."`
	API       API                     `yaml:"api" doc:"The REST interface."`
	Discovery Discovery               `yaml:"discovery" doc:"How links and hosts are found."`
	Stats     Stats                   `yaml:"stats" doc:"How often switches are asked for their counters."`
	Forward   Forward                 `yaml:"forward" doc:"The application that forwards between hosts."`
	Apps      Apps                    `yaml:"apps" doc:"The built-in applications."`
	Limits    Limits                  `yaml:"limits" doc:"What clients and strangers can cost at most. Whatever is above a limit is refused or cut, counted, and alarmed."`
	Allow     []netview.DPID          `yaml:"allow" admin:"true" doc:"Datapath ids that may connect; without it, all may."`
	Switches  map[netview.DPID]Switch `yaml:"switches" doc:"What is said of switches, by datapath id."`
	Ports     map[netview.Point]Port  `yaml:"ports" doc:"What is said of ports, by DPID/PORT."`
	Links     map[LinkRef]Link        `yaml:"links" doc:"What is said of links: DPID/PORT->DPID/PORT is one direction, DPID/PORT<->DPID/PORT both."`
}

// OpenFlow is the side of the switches.
type OpenFlow struct {
	Listen       string        `yaml:"listen" default:"127.0.0.1:6653" kind:"address" restart:"true" admin:"true" doc:"Address that switches connect to, HOST:PORT."`
	EchoInterval time.Duration `yaml:"echo_interval" default:"5s" min:"100ms" max:"10m" restart:"true" doc:"Time between two echo requests to a switch."`
	TLSCert      string        `yaml:"tls_cert" restart:"true" admin:"true" doc:"Certificate shown to switches, a PEM file; with it, tls_key and tls_ca they speak TLS."`
	TLSKey       string        `yaml:"tls_key" restart:"true" admin:"true" doc:"The key of the certificate, a PEM file."`
	TLSCA        string        `yaml:"tls_ca" restart:"true" admin:"true" doc:"Certificates of those who sign the switches' certificates, a PEM file."`
	TLSUnnamed   bool          `yaml:"tls_unnamed" restart:"true" admin:"true" doc:"Takes switches' certificates that name no datapath id, too."`
	EchoMisses   uint64        `yaml:"echo_misses" default:"3" min:"1" max:"100" restart:"true" doc:"Echo requests in a row that a switch may leave unanswered before its session is ended."`
}

// API is the REST interface.
type API struct {
	Listen   string   `yaml:"listen" default:"127.0.0.1:8181" kind:"address" restart:"true" admin:"true" doc:"Address of the interface, HOST:PORT."`
	Auth     string   `yaml:"auth" default:"token" enum:"token,none" restart:"true" admin:"true" doc:"Who may use it: those with a token, or (none, on loopback only) everybody."`
	Insecure bool     `yaml:"insecure" restart:"true" admin:"true" doc:"Allows it off loopback without TLS."`
	TLSCert  string   `yaml:"tls_cert" restart:"true" admin:"true" doc:"Its certificate, a PEM file."`
	TLSKey   string   `yaml:"tls_key" restart:"true" admin:"true" doc:"The key of the certificate, a PEM file."`
	Hosts    []string `yaml:"hosts" restart:"true" admin:"true" doc:"Further names under which it may be called."`
}

// Discovery is how links and hosts are found.
type Discovery struct {
	LLDPPeriod time.Duration `yaml:"lldp_period" default:"2s" min:"100ms" max:"1m" doc:"How often each port is probed for links; less often where that makes more than 5,000 probes a second, or they come back late."`
	Indirect   string        `yaml:"indirect" default:"deny" enum:"deny,allow" doc:"Whether links through something that is no switch of ours are used."`
	NewLinks   string        `yaml:"new_links" default:"evidence" enum:"evidence,trust" doc:"What is believed of a link that appears between two ports that were silent for 10 s and had carrier all the time: nothing (evidence; it is indirect until a carrier is lost or it is trusted), or that it is a cable (trust)."`
	HostExpiry time.Duration `yaml:"host_expiry" default:"30m" min:"10s" max:"720h" doc:"How long a host that is silent and answers no probe is kept."`
}

// Stats is how often switches are asked for their counters.
type Stats struct {
	PortPeriod  time.Duration `yaml:"port_period" default:"5s" min:"1s" max:"1h" restart:"true" doc:"Counters of ports."`
	TablePeriod time.Duration `yaml:"table_period" default:"15s" min:"1s" max:"1h" restart:"true" doc:"Counters of tables."`
	FlowPeriod  time.Duration `yaml:"flow_period" default:"30s" min:"1s" max:"1h" restart:"true" doc:"Totals over flow entries, and counters of firm ones."`
}

// Forward is the application that forwards between hosts.
type Forward struct {
	Unknown string `yaml:"unknown" default:"controller" enum:"controller,flood" restart:"true" doc:"What happens to a unicast packet that no rule matches."`
}

// Apps are the built-in applications.
type Apps struct {
	Disable []string `yaml:"disable" restart:"true" doc:"Those that are not to run."`
}

// Switch is what is said of a switch.
type Switch struct {
	Name     string `yaml:"name" doc:"Its name, unique; else the one that it gives itself."`
	Location string `yaml:"location" doc:"Where it stands, for people."`
}

// Port is what is said of a port.
type Port struct {
	Name string `yaml:"name" doc:"Its label."`
	Edge bool   `yaml:"edge" doc:"No link is here, whatever is heard."`
}

// Link is what is said of a link, or of one direction of it.
type Link struct {
	CapacityMbps uint64 `yaml:"capacity_mbps" min:"1" max:"1000000000" doc:"Mbit/s; else the speed of its ports."`
	LatencyUS    uint64 `yaml:"latency_us" min:"1" max:"60000000" doc:"Microseconds; else what is measured."`
	Cost         uint64 `yaml:"cost" min:"1" max:"65535" doc:"What a path pays for it; else 1."`
	Trusted      bool   `yaml:"trusted" doc:"It is a cable, though it appeared where nothing was plugged in."`
}
