package node

import (
	"slices"
	"strings"
	"time"

	"github.com/weirnet/weir/app/forward"
	"github.com/weirnet/weir/config"
)

// flagOf are the fields of the configuration file that have a flag.
var flagOf = map[string]string{
	"name": "name", "domain": "domain",
	"openflow.listen": "openflow", "openflow.tls_cert": "openflow-tls-cert", "openflow.tls_key": "openflow-tls-key",
	"openflow.tls_ca": "openflow-tls-ca", "openflow.tls_unnamed": "openflow-tls-unnamed",
	"api.listen": "api", "api.auth": "auth", "api.insecure": "insecure", "api.tls_cert": "api-tls-cert",
	"api.tls_key": "api-tls-key", "api.hosts": "api-host",
	"discovery.lldp_period": "lldp-period", "forward.unknown": "forward-unknown", "apps.disable": "disable-app",
}

// whole returns a Config as a configuration: the fields that both have.
func (c *Config) whole() *config.Config {
	return &config.Config{
		Name: c.Name, Domain: uint64(c.Domain),
		OpenFlow: config.OpenFlow{
			Listen: c.OpenFlow, TLSCert: c.OpenFlowTLSCert, TLSKey: c.OpenFlowTLSKey, TLSCA: c.OpenFlowTLSCA,
			TLSUnnamed:   c.OpenFlowTLSUnnamed,
			EchoInterval: c.EchoInterval, EchoMisses: uint64(c.EchoMisses),
		},
		API: config.API{
			Listen: c.API, Auth: c.Auth, Insecure: c.Insecure, TLSCert: c.APITLSCert, TLSKey: c.APITLSKey,
			Hosts: slices.Clone(c.APIHosts),
		},
		Discovery: config.Discovery{LLDPPeriod: c.LLDPPeriod},
		Stats:     config.Stats{PortPeriod: c.Counters.Ports, TablePeriod: c.Counters.Tables, FlowPeriod: c.Counters.Flows},
		Forward:   config.Forward{Unknown: string(c.ForwardUnknown)},
		Apps:      config.Apps{Disable: slices.Clone(c.DisableApps)},
		Limits:    c.Limits,
	}
}

// isSet returns a function that reports whether the fields and flags of a Config set a field of the
// configuration: what differs from the defaults, and what is Given, though it be false or empty.
func (c *Config) isSet() func(path string) bool {
	d := Defaults()
	differs := map[string]bool{}
	for _, change := range config.Diff(d.whole(), c.whole()) {
		differs[baseOf(change.Path)] = true
	}
	return func(path string) bool { return differs[path] || c.Given[flagOf[path]] }
}

// take copies a whole configuration into a Config.
func (c *Config) take(w *config.Config) {
	c.Name, c.Domain = w.Name, uint16(w.Domain)
	of := w.OpenFlow
	c.OpenFlow, c.OpenFlowTLSCert, c.OpenFlowTLSKey, c.OpenFlowTLSCA = of.Listen, of.TLSCert, of.TLSKey, of.TLSCA
	c.OpenFlowTLSUnnamed, c.EchoInterval, c.EchoMisses = of.TLSUnnamed, of.EchoInterval, int(of.EchoMisses)
	c.API, c.Auth, c.Insecure = w.API.Listen, w.API.Auth, w.API.Insecure
	c.APITLSCert, c.APITLSKey, c.APIHosts = w.API.TLSCert, w.API.TLSKey, slices.Clone(w.API.Hosts)
	c.LLDPPeriod = w.Discovery.LLDPPeriod
	c.Counters.Ports, c.Counters.Tables, c.Counters.Flows = w.Stats.PortPeriod, w.Stats.TablePeriod, w.Stats.FlowPeriod
	c.ForwardUnknown = forward.Unknown(w.Forward.Unknown)
	c.DisableApps = slices.Clone(w.Apps.Disable)
	c.Limits = w.Limits
}

// baseOf returns the field of a path: "allow" of "allow[1]".
func baseOf(path string) string {
	base, _, _ := strings.Cut(path, "[")
	return base
}

// moment returns a time as the state stores it.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
