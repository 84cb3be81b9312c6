package settings

import (
	"strings"
	"time"
)

// flagOf are the fields of the configuration file that have a flag.
var flagOf = map[string]string{
	"name": "name", "domain": "domain", "role": "role",
	"openflow.listen": "openflow", "openflow.tls_cert": "openflow-tls-cert", "openflow.tls_key": "openflow-tls-key",
	"openflow.tls_ca": "openflow-tls-ca", "openflow.tls_unnamed": "openflow-tls-unnamed",
	"api.listen": "api", "api.auth": "auth", "api.insecure": "insecure", "api.tls_cert": "api-tls-cert",
	"api.tls_key": "api-tls-key", "api.hosts": "api-host",
	"peer.listen": "peer", "peer.tls_cert": "peer-tls-cert", "peer.tls_key": "peer-tls-key", "peer.tls_ca": "peer-tls-ca",
	"discovery.lldp_period": "lldp-period", "forward.unknown": "forward-unknown", "apps.disable": "disable-app",
}

// baseOf returns the field of a path: "allow" of "allow[1]".
func baseOf(path string) string {
	base, _, _ := strings.Cut(path, "[")
	return base
}

// moment returns a time as the state stores it.
func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
