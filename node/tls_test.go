package node_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"testing"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/node"
	"github.com/weirnet/weir/session"
)

// keyring is a directory of certificates.
type keyring struct {
	t         *testing.T
	dir       string
	authority *cert.Authority
}

func newKeyring(t *testing.T) *keyring {
	t.Helper()
	k := &keyring{t: t, dir: t.TempDir()}
	a, pair, err := cert.New("test", time.Now(), time.Hour)
	k.authority = a
	k.keep(cert.CAName, pair, err)
	pair, err = a.Instance("instance", []string{"127.0.0.1"}, time.Now(), time.Hour)
	k.keep("instance", pair, err)
	return k
}

func (k *keyring) keep(name string, p cert.Pair, err error) {
	k.t.Helper()
	if err == nil {
		err = cert.Write(k.dir, name, p, true)
	}
	if err != nil {
		k.t.Fatal(err)
	}
}

// use makes an instance speak TLS with it.
func (k *keyring) use(c *node.Config) {
	c.OpenFlow.TLSCert, c.OpenFlow.TLSKey = cert.CertFile(k.dir, "instance"), cert.KeyFile(k.dir, "instance")
	c.OpenFlow.TLSCA = cert.CertFile(k.dir, cert.CAName)
}

// device is what a switch uses whose certificate names some ids.
func (k *keyring) device(ids ...uint64) *tls.Config {
	k.t.Helper()
	p, err := k.authority.Switch(ids, time.Now(), time.Hour)
	if err != nil {
		k.t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		k.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(k.authority.Cert)
	return &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: pool, ServerName: "127.0.0.1"}
}

// dialTLS connects a switch under an id.
func (i *instance) dialTLS(id uint64, secure *tls.Config) *session.Session {
	i.t.Helper()
	d := session.NewDialer(session.Config{TLS: secure})
	s, err := d.Dial(i.t.Context(), i.at.OpenFlow, &session.Roles{}, hub.Switch(id))
	if err != nil {
		i.t.Fatal(err)
	}
	i.t.Cleanup(func() { d.Close(context.Background()) })
	return s
}

// TestTLSBindsDatapathIDs: a certificate is good for the ids that it names and no other; one
// without an id, another authority's and none at all are refused; a spoofed id raises an alarm.
func TestTLSBindsDatapathIDs(t *testing.T) {
	k := newKeyring(t)
	i := start(t, k.use)
	i.dialTLS(0xa1, k.device(0xa1, 0xb2))
	i.dialTLS(0xb2, k.device(0xa1, 0xb2))
	i.await("both", func() bool { return i.connected() == 2 })
	i.dialTLS(0xc3, k.device(0xa1))
	i.dialTLS(0xd4, k.device())
	i.await("refusals by certificate", func() bool { return i.refusals("not_admitted") == 2 })
	i.dialTLS(0xa1, nil)
	foreign := newKeyring(t).device(0xa1)
	foreign.RootCAs = k.device(0).RootCAs
	i.dialTLS(0xa1, foreign)
	i.await("refusals by TLS", func() bool { return i.refusals("tls") == 1 && i.refusals("certificate") == 1 })
	if i.connected() != 2 {
		t.Errorf("%d switches are connected", i.connected())
	}
}

func TestTLSWithoutIDsWhereAllowed(t *testing.T) {
	k := newKeyring(t)
	i := start(t, k.use, func(c *node.Config) { c.OpenFlow.TLSUnnamed = true })
	i.dialTLS(0xd4, k.device())
	i.await("it", func() bool { return i.connected() == 1 })
	i.dialTLS(0xc3, k.device(0xa1))
	i.await("the refusal of another's id", func() bool { return i.refusals("not_admitted") == 1 })
}

// TestBadCertificatesAreFoundAtTheStart, at run time, with their file.
func TestBadCertificatesAreFoundAtTheStart(t *testing.T) {
	k := newKeyring(t)
	old, err := k.authority.Instance("old", []string{"w"}, time.Now().Add(-2*time.Hour), time.Hour)
	k.keep("old", old, err)
	for _, change := range []func(*node.Config){
		func(c *node.Config) {
			c.OpenFlow.TLSCert = cert.CertFile(k.dir, "old")
			c.OpenFlow.TLSKey = cert.KeyFile(k.dir, "old")
		},
		func(c *node.Config) { c.OpenFlow.TLSKey = cert.KeyFile(k.dir, cert.CAName) },
		func(c *node.Config) { c.OpenFlow.TLSCA = cert.KeyFile(k.dir, cert.CAName) },
		func(c *node.Config) { c.OpenFlow.TLSCA = k.dir + "/none.pem" },
	} {
		cfg := config(t)
		k.use(&cfg)
		change(&cfg)
		err := node.Run(t.Context(), cfg)
		if err == nil || errors.As(err, new(*node.ConfigError)) {
			t.Errorf("%v, want an error found at run time", err)
		}
		t.Log(err)
	}
	cfg := config(t)
	cfg.OpenFlow.TLSCA = cert.CertFile(k.dir, cert.CAName)
	if err := node.Run(t.Context(), cfg); !errors.As(err, new(*node.ConfigError)) {
		t.Errorf("half a configuration: %v", err)
	}
}
