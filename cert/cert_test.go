package cert

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/session/pipe"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// written is an authority that was written to a directory and read back.
func written(t *testing.T) (*Authority, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tls")
	_, pair, err := New("Weir test", now, 10*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, CAName, pair, false); err != nil {
		t.Fatal(err)
	}
	return must[*Authority](t)(Load(dir, now)), dir
}

// shake does a handshake between an instance and a switch, and returns the switch's certificate and
// both ends' errors.
func shake(t *testing.T, a *Authority, instance, device Pair, name string, at time.Time) (peer *x509.Certificate,
	here, there error) {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	clock := func() time.Time { return at }
	left, right := pipe.New(pipe.Options{})
	defer left.Close()
	defer right.Close()
	serverSide := tls.Server(left, &tls.Config{Time: clock, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
		Certificates: []tls.Certificate{must[tls.Certificate](t)(tls.X509KeyPair(instance.Cert, instance.Key))}})
	clientSide := tls.Client(right, &tls.Config{Time: clock, RootCAs: pool, ServerName: name, MaxVersion: tls.VersionTLS12,
		Certificates: []tls.Certificate{must[tls.Certificate](t)(tls.X509KeyPair(device.Cert, device.Key))}})
	ended := make(chan error, 1)
	go func() { ended <- clientSide.Handshake(); right.Close() }()
	here = serverSide.Handshake()
	left.Close()
	if all := serverSide.ConnectionState().PeerCertificates; len(all) > 0 {
		peer = all[0]
	}
	return peer, here, <-ended
}

func TestInstanceAndSwitchKnowEachOther(t *testing.T) {
	a, _ := written(t)
	instance := must[Pair](t)(a.Instance("weir-1", []string{"192.0.2.1", "2001:db8::1", "weir.example"}, now, time.Hour))
	device := must[Pair](t)(a.Switch([]uint64{0xa1, 0xb2}, now, time.Hour))
	for _, name := range []string{"192.0.2.1", "2001:db8::1", "weir.example"} {
		peer, here, there := shake(t, a, instance, device, name, now)
		if here != nil || there != nil {
			t.Fatalf("%s: %v, %v", name, here, there)
		}
		for id, want := range map[uint64]error{0xa1: nil, 0xb2: nil, 0xc3: ErrOther} {
			if err := Check(peer, id, false); !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("%#x: %v, want %v", id, err, want)
			}
		}
	}
	if _, _, there := shake(t, a, instance, device, "other.example", now); there == nil {
		t.Error("the instance was believed under another's name")
	}
	if _, here, _ := shake(t, a, instance, instance, "weir.example", now); here == nil {
		t.Error("an instance's certificate was taken for a switch's")
	}
	if _, _, there := shake(t, a, device, device, "weir.example", now); there == nil {
		t.Error("a switch's certificate was taken for an instance's")
	}
	other, _ := written(t)
	foreign := must[Pair](t)(other.Switch([]uint64{0xa1}, now, time.Hour))
	if _, here, _ := shake(t, a, instance, foreign, "weir.example", now); here == nil {
		t.Error("another authority's certificate was taken")
	}
}

func TestTime(t *testing.T) {
	a, dir := written(t)
	instance := must[Pair](t)(a.Instance("weir-1", []string{"w"}, now, time.Hour))
	device := must[Pair](t)(a.Switch(nil, now, 1000*time.Hour))
	c := must[*x509.Certificate](t)(parseCert(device.Cert))
	if !c.NotAfter.Equal(a.Cert.NotAfter) {
		t.Errorf("valid until %v, the authority until %v", c.NotAfter, a.Cert.NotAfter)
	}
	for at, ok := range map[time.Duration]bool{-backdate - time.Second: false, -backdate: true,
		10 * time.Hour: true, 10*time.Hour + time.Second: false} {
		if err := CheckTime(c, now.Add(at)); (err == nil) != ok {
			t.Errorf("after %v: %v", at, err)
		}
	}
	if _, here, there := shake(t, a, instance, device, "w", now.Add(2*time.Hour)); here == nil && there == nil {
		t.Error("an expired certificate was taken")
	}
	if _, err := Load(dir, now.Add(11*time.Hour)); err == nil ||
		!strings.Contains(err.Error(), "ca.pem: certificate has expired at 2026-05-01T22:00:00Z") {
		t.Errorf("an expired authority: %v", err)
	}
}

func TestUnnamed(t *testing.T) {
	a, _ := written(t)
	c := must[*x509.Certificate](t)(parseCert(must[Pair](t)(a.Switch(nil, now, time.Hour)).Cert))
	if err := Check(c, 1, false); !errors.Is(err, ErrUnnamed) {
		t.Error(err)
	}
	if err := Check(c, 1, true); err != nil {
		t.Error(err)
	}
	c.URIs = []*url.URL{{Scheme: "https", Host: "example"}, {Scheme: scheme, Opaque: "1"}}
	if err := Check(c, 1, true); err == nil {
		t.Error("an id of one digit was taken for none, or for one")
	}
}

func TestNothingIsReplacedUnlessTold(t *testing.T) {
	_, dir := written(t)
	before, _ := os.ReadFile(KeyFile(dir, CAName))
	_, pair, _ := New("another", now, time.Hour)
	for _, gone := range []string{"", CertFile(dir, CAName)} {
		if gone != "" {
			os.Remove(gone)
		}
		if err := Write(dir, CAName, pair, false); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%v", err)
		}
		if after, _ := os.ReadFile(KeyFile(dir, CAName)); string(after) != string(before) {
			t.Fatal("the key was replaced")
		}
	}
	if err := Write(dir, CAName, pair, true); err != nil {
		t.Fatal(err)
	}
	if a, err := Load(dir, now); err != nil || a.Cert.Subject.CommonName != "another" {
		t.Errorf("%v", err)
	}
	for path, mode := range map[string]os.FileMode{KeyFile(dir, CAName): 0o600, CertFile(dir, CAName): 0o644} {
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v %v", path, info.Mode(), err)
		}
	}
	if all, _ := os.ReadDir(dir); len(all) != 2 {
		t.Errorf("left behind: %v", all)
	}
}

func TestBadFilesAreNamed(t *testing.T) {
	_, dir := written(t)
	_, other := written(t)
	key, _ := os.ReadFile(KeyFile(other, CAName))
	for _, bad := range []struct {
		path string
		text []byte
	}{{KeyFile(dir, CAName), key}, {CertFile(dir, CAName), []byte("nothing")}} {
		path := bad.path
		if err := os.WriteFile(path, bad.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir, now); err == nil || strings.Count(err.Error(), path) != 1 {
			t.Errorf("%v, want %s in it", err, path)
		}
	}
	if _, err := Load(t.TempDir(), now); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// FuzzDatapath reads a datapath id out of any URI that net/url takes, and writes it again.
func FuzzDatapath(f *testing.F) {
	for _, s := range []string{"openflow:00000000000000a1", "openflow:FFFFFFFFFFFFFFFF", "openflow:1",
		"openflow:+0000000000000a1",
		"openflow://00000000000000a1", "openflow:00000000000000a1?x", "openflow:00000000000000a1#", "https://x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := url.Parse(s)
		if err != nil {
			return
		}
		ids, err := Datapaths(&x509.Certificate{URIs: []*url.URL{u}})
		if err != nil || len(ids) == 0 {
			return
		}
		if got := datapathURI(ids[0]).String(); !strings.EqualFold(got, u.String()) ||
			got != fmt.Sprintf("openflow:%016x", ids[0]) {
			t.Errorf("%q is %s", s, got)
		}
	})
}

// FuzzParse reads any bytes as a file of certificates.
func FuzzParse(f *testing.F) {
	_, pair, _ := New("seed", now, time.Hour)
	f.Add(pair.Cert)
	f.Add(append(pair.Key, pair.Cert...))
	f.Add([]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := Parse(b)
		if err == nil && len(all) == 0 {
			t.Error("no certificate, no error")
		}
		_, _ = parseKey(b)
	})
}
