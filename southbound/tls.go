package southbound

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/weirnet/weir/cert"
)

// TLS names the files of TLS with switches, in PEM; none: TCP.
type TLS struct {
	Cert, Key string // the instance's
	CA        string // authorities of switches' certificates
	// Unnamed admits certificates without a datapath id.
	Unnamed bool
}

// switchTLS is the TLS that is spoken with switches. Its certificates can be read anew while it is
// used.
type switchTLS struct {
	cfg TLS
	now atomic.Pointer[tls.Config]
}

// newTLS reads the certificates; nil without any.
func newTLS(cfg TLS) (*switchTLS, error) {
	if cfg.Cert == "" {
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
	pair, err := tls.LoadX509KeyPair(t.cfg.Cert, t.cfg.Key)
	if err == nil {
		err = cert.CheckTime(pair.Leaf, time.Now())
	}
	if err != nil {
		err = fmt.Errorf("certificate for switches (--openflow-tls-cert %s, --openflow-tls-key %s): %w",
			t.cfg.Cert, t.cfg.Key, err)
	}
	return pair, err
}

// authorities reads the certificates of those who sign the switches'.
func (t *switchTLS) authorities() (*x509.CertPool, error) {
	text, err := os.ReadFile(t.cfg.CA)
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
		return nil, fmt.Errorf("authority of switches (--openflow-tls-ca %s): %w", t.cfg.CA, err)
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

// CheckCertificates reads the certificates for switches that a configuration names.
func CheckCertificates(cfg TLS) error {
	_, err := newTLS(cfg)
	return err
}
