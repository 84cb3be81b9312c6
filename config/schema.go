package config

import (
	"time"

	"github.com/weirnet/weir/netview"
)

// Roles of an instance.
const (
	RoleController = "controller"
	RoleHypervisor = "hypervisor"
)

// Config is a configuration file. The tags are the schema: "yaml" is a field's name, "default" its
// default, "min", "max" and "enum" bound it, "restart" says that a change holds from the next
// start, "admin" that the role operator must not change it, and "scope" whether it is one instance's,
// with all below it, or (without the tag) the network's. A field of the zero value says nothing.
type Config struct {
	Name   string `yaml:"name" default:"weir-1" scope:"instance" restart:"true" admin:"true" doc:"Name of the instance."`
	Domain uint64 `yaml:"domain" default:"1" min:"1" max:"4095" restart:"true" admin:"true" doc:"Number of this Weir in the cookies of its rules; two that share a switch need different ones."`
	// Role is one of RoleController and RoleHypervisor.
	Role string `yaml:"role" default:"controller" enum:"controller,hypervisor" restart:"true" admin:"true" doc:"What the instance is for: it forwards packets and serves intents and tenants (controller), or serves tenants alone (hypervisor; docs/tenants.md)."`
	// OpenFlow configures the OpenFlow listener.
	OpenFlow OpenFlow `yaml:"openflow" doc:"The OpenFlow listener."`
	API      API      `yaml:"api" scope:"instance" doc:"The REST interface."`
	// Peer configures what other instances connect to.
	Peer Peer `yaml:"peer" scope:"instance" doc:"The port for other instances of the cluster."`
	// Discovery configures the discovery of links and hosts.
	Discovery Discovery `yaml:"discovery" doc:"Discovery of links and hosts."`
	// Stats configures the polling of counters.
	Stats Stats `yaml:"stats" doc:"Polling of the switches' counters."`
	// Forward configures the application that forwards between hosts.
	Forward Forward `yaml:"forward" doc:"The application that forwards between hosts."`
	// Apps configures the applications.
	Apps     Apps                    `yaml:"apps" doc:"The applications."`
	Limits   Limits                  `yaml:"limits" doc:"Bounds on what clients and strangers cost. What exceeds one is refused or cut, counted and alarmed."`
	Allow    []netview.DPID          `yaml:"allow" admin:"true" doc:"Datapath ids that may connect; without it, all may."`
	Switches map[netview.DPID]Switch `yaml:"switches" doc:"Configuration of switches, by datapath id."`
	Ports    map[netview.Point]Port  `yaml:"ports" doc:"Configuration of ports, by DPID/PORT."`
	Links    map[LinkRef]Link        `yaml:"links" doc:"Configuration of links: DPID/PORT->DPID/PORT is one direction, DPID/PORT<->DPID/PORT both."`
}

// The roles that switches are asked for.
const (
	OpenFlowMaster = "master"
	OpenFlowEqual  = "equal"
)

// OpenFlow is the side of the switches.
type OpenFlow struct {
	Listen       string        `yaml:"listen" default:"127.0.0.1:6653" kind:"address" scope:"instance" restart:"true" admin:"true" doc:"Address that switches connect to, HOST:PORT."`
	EchoInterval time.Duration `yaml:"echo_interval" default:"5s" min:"100ms" max:"10m" restart:"true" doc:"Time between two echo requests to a switch."`
	TLSCert      string        `yaml:"tls_cert" scope:"instance" restart:"true" admin:"true" doc:"Certificate shown to switches, a PEM file; with it, tls_key and tls_ca they speak TLS."`
	TLSKey       string        `yaml:"tls_key" scope:"instance" restart:"true" admin:"true" doc:"The key of the certificate, a PEM file."`
	TLSCA        string        `yaml:"tls_ca" scope:"instance" restart:"true" admin:"true" doc:"CA certificates for switches' certificates, a PEM file."`
	TLSUnnamed   bool          `yaml:"tls_unnamed" scope:"instance" restart:"true" admin:"true" doc:"Accepts switches' certificates that name no datapath id."`
	Role         string        `yaml:"role" default:"master" enum:"master,equal" restart:"true" admin:"true" doc:"Role that switches are asked for: master, in a term of the store, so that they refuse who was it before; or equal, beside a controller of another kind, or a Weir of another domain that does not forward."`
	EchoMisses   uint64        `yaml:"echo_misses" default:"3" min:"1" max:"100" restart:"true" doc:"Echo requests in a row that a switch may leave unanswered before its session is ended."`
}

// API is the REST interface.
type API struct {
	Listen   string   `yaml:"listen" default:"127.0.0.1:8181" kind:"address" restart:"true" admin:"true" doc:"Address of the interface, HOST:PORT."`
	Auth     string   `yaml:"auth" default:"token" enum:"token,none" restart:"true" admin:"true" doc:"Authentication: token, or none (on loopback only)."`
	Insecure bool     `yaml:"insecure" restart:"true" admin:"true" doc:"Allows it off loopback without TLS."`
	TLSCert  string   `yaml:"tls_cert" restart:"true" admin:"true" doc:"Its certificate, a PEM file."`
	TLSKey   string   `yaml:"tls_key" restart:"true" admin:"true" doc:"The key of the certificate, a PEM file."`
	Hosts    []string `yaml:"hosts" restart:"true" admin:"true" doc:"Further host names of the interface."`
}

// PeerNone is Peer.Listen of an instance that no other one connects to.
const PeerNone = "none"

// Peer is the side of the other instances.
type Peer struct {
	Listen  string `yaml:"listen" default:"127.0.0.1:9876" kind:"address or none" restart:"true" admin:"true" doc:"Address that other instances of the cluster connect to, HOST:PORT, or none. They are told it: one of this machine, not 0.0.0.0. Off loopback it needs TLS."`
	TLSCert string `yaml:"tls_cert" restart:"true" admin:"true" doc:"Certificate shown to other instances, a PEM file; with it, tls_key and tls_ca they speak TLS."`
	TLSKey  string `yaml:"tls_key" restart:"true" admin:"true" doc:"The key of the certificate, a PEM file."`
	TLSCA   string `yaml:"tls_ca" restart:"true" admin:"true" doc:"CA certificates for other instances' certificates, a PEM file."`
}

// Discovery is how links and hosts are found.
type Discovery struct {
	LLDPPeriod time.Duration `yaml:"lldp_period" default:"2s" min:"100ms" max:"1m" doc:"Probe period of each port; longer if that makes more than 5,000 probes a second, or they come back late."`
	Indirect   string        `yaml:"indirect" default:"deny" enum:"deny,allow" doc:"Whether links through devices that are not switches of this network are used."`
	NewLinks   string        `yaml:"new_links" default:"evidence" enum:"evidence,trust" doc:"A link that appears between two ports that were edges for 10 s, with carrier all the time: not used until a carrier is lost or it is trusted (evidence; shown as indirect), or used at once (trust)."`
	LinkFrame  uint64        `yaml:"link_frame" default:"1522" min:"128" max:"9216" doc:"Length of the longest frame that links are to carry, in bytes without check sequence: 14 of header, 4 of a host's VLAN tag, 4 of a tag on the way, 1,500 of payload."`
	LinkWidths string        `yaml:"link_widths" default:"ignore" enum:"ignore,find" doc:"Whether a probe of that length is sent over each link, once a minute: a link that carries shorter ones only is shown as narrow, with an alarm (find). Wide intents go round narrow links."`
	HostExpiry time.Duration `yaml:"host_expiry" default:"30m" min:"10s" max:"720h" doc:"How long a silent host that answers no query is kept."`
}

// Stats is how often switches are asked for their counters.
type Stats struct {
	PortPeriod  time.Duration `yaml:"port_period" default:"5s" min:"1s" max:"1h" restart:"true" doc:"Counters of ports."`
	TablePeriod time.Duration `yaml:"table_period" default:"15s" min:"1s" max:"1h" restart:"true" doc:"Counters of tables."`
	FlowPeriod  time.Duration `yaml:"flow_period" default:"30s" min:"1s" max:"1h" restart:"true" doc:"Totals over flow entries, and counters of firm ones."`
}

// Forward is the application that forwards between hosts.
type Forward struct {
	Unknown string `yaml:"unknown" default:"controller" enum:"controller,flood" restart:"true" doc:"Treatment of a unicast packet that no rule matches: flood needs the application broadcast."`
}

// Apps are the applications.
type Apps struct {
	Disable []string `yaml:"disable" restart:"true" doc:"Applications that are disabled, by the names that weir get apps lists. forward takes broadcast along; stats cannot be."`
	// Settings are structs of the types that applications declare (App).
	Settings map[AppName]any `yaml:"settings" doc:"Settings of applications that declare some: weir get apps NAME -o yaml lists them."`
}

// Switch configures a switch.
type Switch struct {
	Name     string `yaml:"name" doc:"Its name, unique; default: the name that it reports."`
	Location string `yaml:"location" doc:"Its location, for people."`
}

// Port configures a port.
type Port struct {
	Name string `yaml:"name" doc:"Its label."`
	Edge bool   `yaml:"edge" doc:"It is an edge port: no link is made here."`
}

// Link configures a link, or one direction of it.
type Link struct {
	CapacityMbps uint64 `yaml:"capacity_mbps" min:"1" max:"1000000000" doc:"Mbit/s; default: the speed of its ports."`
	LatencyUS    uint64 `yaml:"latency_us" min:"1" max:"60000000" doc:"Microseconds; default: measured."`
	Cost         uint64 `yaml:"cost" min:"1" max:"65535" doc:"Its cost in path computation; default 1."`
	Trusted      bool   `yaml:"trusted" doc:"It is used although it appeared without a change of carrier."`
}
