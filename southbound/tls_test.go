package southbound

import (
	"crypto/x509"
	"os"
	"testing"
	"time"

	"github.com/weirnet/weir/cert"
)

// TestCertificatesAreReadAgain: a new one is used from then on; a bad one is refused and the one
// before stays.
func TestCertificatesAreReadAgain(t *testing.T) {
	dir := t.TempDir()
	a, authority, err := cert.New("test", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	give := func(name string) {
		t.Helper()
		pair, err := a.Instance(name, []string{"w"}, time.Now(), time.Hour)
		if err == nil {
			err = cert.Write(dir, "instance", pair, true)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	give("first")
	if err := cert.Write(dir, cert.CAName, authority, false); err != nil {
		t.Fatal(err)
	}
	cfg := TLS{Cert: cert.CertFile(dir, "instance"), Key: cert.KeyFile(dir, "instance"), CA: cert.CertFile(dir, cert.CAName)}
	secure, err := newTLS(cfg)
	if err != nil {
		t.Fatal(err)
	}
	shown := func() string {
		t.Helper()
		now, err := secure.config().GetConfigForClient(nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := x509.ParseCertificate(now.Certificates[0].Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return c.Subject.CommonName
	}
	give("second")
	if shown() != "first" {
		t.Error("read before it was told to")
	}
	if err := secure.reload(); err != nil || shown() != "second" {
		t.Errorf("%v, %s is shown", err, shown())
	}
	if err := os.WriteFile(cfg.Cert, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := secure.reload(); err == nil || shown() != "second" {
		t.Errorf("of bad certificates: %v, %s is shown", err, shown())
	}
}
