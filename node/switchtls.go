package node

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/cert"
)

// switchTLS is the TLS that is spoken with switches. Its certificates can be read anew while it is
// used.
type switchTLS struct {
	cfg *Config
	now atomic.Pointer[tls.Config]
}

// checkSwitchTLS finds flags of TLS for switches of which others are missing.
func (c *Config) checkSwitchTLS() error {
	given := 0
	for _, file := range []string{c.OpenFlow.TLSCert, c.OpenFlow.TLSKey, c.OpenFlow.TLSCA} {
		if file != "" {
			given++
		}
	}
	switch {
	case given != 0 && given != 3:
		return errors.New(
			"--openflow-tls-cert, --openflow-tls-key and --openflow-tls-ca: give all three (weir cert makes them) or none")
	case given == 0 && c.OpenFlow.TLSUnnamed:
		return errors.New("--openflow-tls-unnamed: has a meaning only with --openflow-tls-cert, -key and -ca")
	}
	return nil
}

// newSwitchTLS reads the certificates; nil without any.
func newSwitchTLS(cfg *Config) (*switchTLS, error) {
	if cfg.OpenFlow.TLSCert == "" {
		return nil, nil
	}
	t := &switchTLS{cfg: cfg}
	return t, t.reload()
}

// reload reads the certificates again. Where one is bad the error names it, and those before stay.
// Sessions that are there stay as well.
func (t *switchTLS) reload() error {
	pair, err := t.own()
	if err != nil {
		return err
	}
	pool, err := t.authorities()
	if err != nil {
		return err
	}
	own := cert.Config(pair)
	own.ClientAuth, own.ClientCAs = tls.RequireAndVerifyClientCert, pool
	// A ticket would bring a certificate back that has expired meanwhile, or an authority that is
	// no longer believed.
	own.SessionTicketsDisabled = true
	t.now.Store(own)
	return nil
}

// own reads the instance's certificate and key.
func (t *switchTLS) own() (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(t.cfg.OpenFlow.TLSCert, t.cfg.OpenFlow.TLSKey)
	if err == nil {
		err = cert.CheckTime(pair.Leaf, time.Now())
	}
	if err != nil {
		err = fmt.Errorf("certificate for switches (--openflow-tls-cert %s, --openflow-tls-key %s): %w",
			t.cfg.OpenFlow.TLSCert, t.cfg.OpenFlow.TLSKey, err)
	}
	return pair, err
}

// authorities reads the certificates of those who sign the switches'.
func (t *switchTLS) authorities() (*x509.CertPool, error) {
	text, err := os.ReadFile(t.cfg.OpenFlow.TLSCA)
	var all []*x509.Certificate
	if err == nil {
		all, err = cert.Parse(text)
	}
	pool := x509.NewCertPool()
	for _, c := range all {
		pool.AddCert(c)
		if err == nil {
			err = cert.CheckTime(c, time.Now())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("authority of switches (--openflow-tls-ca %s): %w", t.cfg.OpenFlow.TLSCA, err)
	}
	return pool, nil
}

// config is what sessions use: each handshake takes the certificates of its time. Nil without TLS.
func (t *switchTLS) config() *tls.Config {
	if t == nil {
		return nil
	}
	c := cert.Config()
	c.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return t.now.Load(), nil }
	return c
}
