package cert

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"
)

// peerURI is in the certificates of instances for each other: with it none is good as a switch's.
var peerURI = &url.URL{Scheme: "weir", Opaque: "peer"}

// ErrPeer: a certificate that an instance shows to other instances was shown as a switch's.
var ErrPeer = errors.New("certificate is that of an instance, not of a switch")

// Peer makes the certificate that an instance shows to other instances of its cluster: as a server and as a client. The
// hosts are those under which the others know it.
func (a *Authority) Peer(name string, hosts []string, now time.Time, life time.Duration) (Pair, error) {
	if len(hosts) == 0 {
		return Pair{}, errors.New("a peer's certificate without an address or name")
	}
	t := template(name, now, a.until(now, life))
	t.KeyUsage = x509.KeyUsageDigitalSignature
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	t.URIs = []*url.URL{peerURI}
	addHosts(t, hosts)
	return a.issue(t)
}

// IsPeer reports whether a certificate was made by Peer.
func IsPeer(c *x509.Certificate) bool {
	return slices.ContainsFunc(c.URIs, func(u *url.URL) bool { return *u == *peerURI })
}

// CheckPeer reports whether a certificate, whose signature was verified, is one of an instance for other instances: made
// for servers and for clients, of any authority's making, and of no switch. A host that is not empty must be one of its
// addresses or names.
func CheckPeer(c *x509.Certificate, host string) error {
	of := fmt.Sprintf("certificate of %q", c.Subject.CommonName)
	ids, err := Datapaths(c)
	switch {
	case err != nil:
		return err
	case len(ids) > 0:
		return fmt.Errorf("%s is that of a switch: want one of an instance, as weir cert peer makes", of)
	case !slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageServerAuth),
		!slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageClientAuth):
		return fmt.Errorf("%s is not made for both a server and a client: want one as weir cert peer makes", of)
	case host == "":
		return nil
	}
	if err := c.VerifyHostname(host); err != nil {
		return fmt.Errorf("%s: %w", of, err)
	}
	return nil
}

// PeerFiles are the files with which an instance authenticates itself to others of its cluster, and them. They are read
// at each handshake, so that new ones hold at once.
type PeerFiles struct{ Cert, Key, CA string }

// Check reads the files, and reports what is wrong with them.
func (f PeerFiles) Check(now time.Time) error {
	own, _, err := f.read()
	if err == nil {
		err = CheckPeer(own.Leaf, "")
	}
	if err == nil {
		err = CheckTime(own.Leaf, now)
	}
	if err != nil {
		return named(f.Cert, err)
	}
	return nil
}

func (f PeerFiles) read() (own tls.Certificate, pool *x509.CertPool, err error) {
	if own, err = tls.LoadX509KeyPair(f.Cert, f.Key); err != nil {
		return own, nil, named(f.Cert, err)
	}
	text, err := os.ReadFile(f.CA)
	if err != nil {
		return own, nil, err
	}
	all, err := Parse(text)
	if err != nil {
		return own, nil, named(f.CA, err)
	}
	pool = x509.NewCertPool()
	for _, c := range all {
		pool.AddCert(c)
	}
	return own, pool, nil
}

// config is what both ends have in common: TLS 1.3, no session resumed, and only peers.
func (f PeerFiles) config() (*tls.Config, error) {
	own, pool, err := f.read()
	if err != nil {
		return nil, err
	}
	cfg := Config(own)
	cfg.MinVersion, cfg.SessionTicketsDisabled = tls.VersionTLS13, true
	cfg.RootCAs, cfg.ClientCAs = pool, pool
	cfg.VerifyConnection = func(s tls.ConnectionState) error { return CheckPeer(s.PeerCertificates[0], "") }
	return cfg, nil
}

// Server is the configuration of a port on which only other instances are welcome.
func (f PeerFiles) Server() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		cfg, err := f.config()
		if err != nil {
			return nil, err
		}
		cfg.ClientAuth = tls.RequireAndVerifyClientCert
		cfg.NextProtos = []string{"http/1.1"} // HTTP/2 has no upgrade of a connection
		return cfg, nil
	}}
}

// Client is the configuration of one connection to another instance, known under a host's address or name.
func (f PeerFiles) Client(host string) (*tls.Config, error) {
	cfg, err := f.config()
	if err == nil {
		cfg.ServerName = host
		own := &cfg.Certificates[0] // shown to whatever authority: the other end then says what is wrong with it
		cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return own, nil }
	}
	return cfg, err
}
