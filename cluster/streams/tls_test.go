package streams

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/internal/need"
)

// authority is one with files.
type authority struct {
	t testing.TB
	*cert.Authority
	now time.Time
}

func newAuthority(t testing.TB) *authority {
	now := time.Now()
	a, _, err := cert.New("Weir test", now, 24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{t, a, now}
}

// files writes a pair, and whom it trusts.
func (a *authority) files(p cert.Pair, err error) *cert.PeerFiles {
	a.t.Helper()
	dir := a.t.TempDir()
	if err == nil {
		err = cert.Write(dir, "peer", p, false)
	}
	f := &cert.PeerFiles{Cert: cert.CertFile(dir, "peer"), Key: cert.KeyFile(dir, "peer"), CA: filepath.Join(dir, "ca.pem")}
	if err == nil {
		err = os.WriteFile(f.CA, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.Cert.Raw}), 0o600)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	return f
}

// secured is an instance on loopback.
type secured struct {
	*Streams
	addr string
}

func newSecured(t testing.TB, id ID, files *cert.PeerFiles, kinds ...Kind) *secured {
	t.Helper()
	cfg := Config{Cluster: 0xc1, Self: liveness.Life{ID: id, Incarnation: 1}, Name: "weir-" + string(rune('0'+id)), TLS: files,
		Kinds: kinds}
	s, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(Path, s.Handler())
	server := &http.Server{Handler: mux, ErrorLog: log.New(io.Discard, "", 0)}
	if files != nil {
		server.TLSConfig = files.Server()
		go server.ServeTLS(l, "", "")
	} else {
		go server.Serve(l)
	}
	t.Cleanup(func() { s.Close(); server.Close() })
	return &secured{s, l.Addr().String()}
}

// meet has two instances know each other.
func meet(a, b *secured) {
	list := []Peer{{ID: a.own.life.ID, Name: a.own.name, Addr: a.addr}, {ID: b.own.life.ID, Name: b.own.name, Addr: b.addr}}
	a.SetPeers(list)
	b.SetPeers(list)
}

// TestTLS: two instances over loopback with certificates of their own are connected; with others they are not, and one of
// them says why.
func TestTLS(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	here := []string{"127.0.0.1"}
	good := func(name string) *cert.PeerFiles { return a.files(a.Peer(name, here, a.now, time.Hour)) }
	for _, c := range []struct {
		name  string
		files *cert.PeerFiles // of the second
		want  string          // what the one that calls says; empty: nothing
	}{
		{"right", good("weir-2"), ""},
		{"a switch's", a.files(a.Switch([]uint64{1}, a.now, time.Hour)), "TLS with"},
		{"an instance's for switches", a.files(a.Instance("weir-2", here, a.now, time.Hour)), "not made for both"},
		{"another authority's", other.files(other.Peer("weir-2", here, a.now, time.Hour)), "unknown authority"},
		{"expired", a.files(a.Peer("weir-2", here, a.now.Add(-2*time.Hour), time.Hour)), "expired"},
		{"another address's", a.files(a.Peer("weir-2", []string{"192.0.2.2"}, a.now, time.Hour)), "192.0.2.2"},
		{"none", nil, "first record does not look like a TLS handshake"},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, two := newSecured(t, 1, good("weir-1")), newSecured(t, 2, c.files)
			meet(one, two)
			if c.want == "" {
				need.Await(t, "a connection", func() bool {
					return one.Connected(2) && two.Connected(1) && one.Heard(2) && two.Heard(1)
				})
				return
			}
			need.Await(t, c.want, func() bool { m := one.Members(); return strings.Contains(m[0].Error, c.want) })
			if one.Connected(2) || two.Connected(1) || two.Counts()["connections"] > 0 {
				t.Error("they are connected")
			}
		})
	}
}

// TestCallersAreChecked: who calls with a certificate of the authority that is not its own is refused, by the one line that
// says so; and so is one that shows none.
func TestCallersAreChecked(t *testing.T) {
	a := newAuthority(t)
	here := []string{"127.0.0.1"}
	two := newSecured(t, 2, a.files(a.Peer("weir-2", here, a.now, time.Hour)))
	for _, c := range []struct {
		name  string
		files *cert.PeerFiles
		want  string // what the one that calls reads; what is said to a refused handshake of TLS depends on the time
	}{
		{"another address's", a.files(a.Peer("weir-3", []string{"192.0.2.9"}, a.now, time.Hour)),
			"valid for 192.0.2.9, not 127.0.0.1"},
		{"a switch's", a.files(a.Switch(nil, a.now, time.Hour)), ""},
		{"an instance's for switches", a.files(a.Instance("weir-1", here, a.now, time.Hour)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := newSecured(t, 1, c.files)
			meet(one, two)
			need.Await(t, "a refusal", func() bool {
				m := one.Members()
				return m[0].Error != "" && strings.Contains(m[0].Error, c.want)
			})
			if two.Connected(1) || two.Counts()["connections"] > 0 || one.Counts()["connections"] > 0 {
				t.Error("they are connected")
			}
			two.SetPeers(nil)
		})
	}
	files := a.files(a.Peer("weir-1", here, a.now, time.Hour))
	own, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	two.SetPeers([]Peer{{ID: 1, Addr: "127.0.0.1:1"}})
	state := &tls.ConnectionState{PeerCertificates: []*x509.Certificate{own.Leaf}}
	caller := &hello{life: liveness.Life{ID: 1, Incarnation: 1}}
	if err := (called{two.Streams}).checkCaller(caller, state); err != errNoCert {
		t.Error("a certificate that was not verified:", err)
	}
	state.VerifiedChains = [][]*x509.Certificate{{own.Leaf, a.Cert}}
	if err := (called{two.Streams}).checkCaller(caller, state); err != nil {
		t.Error(err)
	}
	cfg, err := files.Client("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	cfg.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &tls.Certificate{}, nil }
	nc, err := tls.Dial("tcp", two.addr, cfg)
	if err == nil {
		_, err = nc.Read(make([]byte, 1))
	}
	if err == nil || !strings.Contains(err.Error(), "certificate required") {
		t.Error(err)
	}
}

// TestNewCertificates: a certificate that has expired is replaced in its files, and the next call succeeds.
func TestNewCertificates(t *testing.T) {
	a := newAuthority(t)
	here := []string{"127.0.0.1"}
	files := a.files(a.Peer("weir-2", here, a.now.Add(-2*time.Hour), time.Hour))
	one, two := newSecured(t, 1, a.files(a.Peer("weir-1", here, a.now, time.Hour))), newSecured(t, 2, files)
	meet(one, two)
	need.Await(t, "a refusal", func() bool { return strings.Contains(one.Members()[0].Error, "expired") })
	fresh := a.files(a.Peer("weir-2", here, a.now, time.Hour))
	for from, to := range map[string]string{fresh.Cert: files.Cert, fresh.Key: files.Key} {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	need.Await(t, "a connection", func() bool { return one.Connected(2) && two.Connected(1) })
}
