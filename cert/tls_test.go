package cert

import (
	"crypto/tls"
	"net"
	"slices"
	"strings"
	"testing"
)

// TestSuites: a client of TLS 1.2 gets a suite that authenticates what it encrypts, or none; one of
// 1.3 is served.
func TestSuites(t *testing.T) {
	a, dir := written(t)
	pair, err := a.Instance("one", []string{"127.0.0.1"}, now, a.until(now, 1).Sub(now))
	if err == nil {
		err = Write(dir, "one", pair, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	own, err := tls.LoadX509KeyPair(CertFile(dir, "one"), KeyFile(dir, "one"))
	if err != nil {
		t.Fatal(err)
	}
	offer := func(version uint16, suite uint16) error {
		here, there := net.Pipe()
		defer here.Close()
		defer there.Close()
		go tls.Server(there, Config(own)).Handshake()
		return tls.Client(here,
			&tls.Config{MaxVersion: version, CipherSuites: []uint16{suite}, InsecureSkipVerify: true}).Handshake()
	}
	served := 0
	for _, suite := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
		if !slices.Contains(suite.SupportedVersions, uint16(tls.VersionTLS12)) {
			continue
		}
		err := offer(tls.VersionTLS12, suite.ID)
		if err == nil {
			served++
		}
		if err == nil && !strings.Contains(suite.Name, "GCM") && !strings.Contains(suite.Name, "POLY1305") {
			t.Errorf("%s is served", suite.Name)
		}
	}
	if served == 0 || offer(tls.VersionTLS13, 0) != nil {
		t.Errorf("%d suites of TLS 1.2 are served; 1.3: %v", served, offer(tls.VersionTLS13, 0))
	}
}
