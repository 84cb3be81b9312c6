package cert

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// filesOf writes a pair and its authority, and returns their names.
func filesOf(t *testing.T, a *Authority, pair Pair) PeerFiles {
	t.Helper()
	dir := t.TempDir()
	if err := Write(dir, "peer", pair, false); err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(ca, encode(typeCert, a.Cert.Raw), 0o600); err != nil {
		t.Fatal(err)
	}
	return PeerFiles{Cert: CertFile(dir, "peer"), Key: KeyFile(dir, "peer"), CA: ca}
}

// greet has a client with its files call a server with its, known as host, and returns both ends' errors.
func greet(t *testing.T, server, client PeerFiles, host string) (here, there error) {
	t.Helper()
	left, right := net.Pipe()
	defer left.Close()
	defer right.Close()
	cfg, err := client.Client(host)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		c := tls.Client(right, cfg)
		err := c.Handshake()
		if err == nil {
			_, err = c.Read(make([]byte, 1)) // TLS 1.3 tells a client that it is refused after its handshake
		}
		right.Close()
		ended <- err
	}()
	s := tls.Server(left, server.Server())
	if here = s.Handshake(); here == nil {
		_, here = s.Write([]byte{1})
	}
	left.Close()
	return here, <-ended
}

func TestPeersKnowEachOther(t *testing.T) {
	now := time.Now()
	a, _, err := New("one", now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	pair := func(p Pair, err error) Pair { t.Helper(); return must[Pair](t)(p, err) }
	one := filesOf(t, a, pair(a.Peer("weir-1", []string{"192.0.2.1", "one.example"}, now, time.Hour)))
	two := filesOf(t, a, pair(a.Peer("weir-2", []string{"192.0.2.2"}, now, time.Hour)))
	for _, host := range []string{"192.0.2.1", "one.example"} {
		if here, there := greet(t, one, two, host); here != nil || there != nil {
			t.Errorf("%s: %v, %v", host, here, there)
		}
	}
	if _, there := greet(t, one, two, "192.0.2.3"); there == nil || !strings.Contains(there.Error(), "192.0.2.3") {
		t.Errorf("another's address: %v", there)
	}
	other, _, _ := New("other", now, time.Hour)
	for name, bad := range map[string]struct {
		files PeerFiles
		want  string
	}{
		"a switch's": {filesOf(t, a, pair(a.Switch([]uint64{1}, now, time.Hour))), "that of a switch"},
		"a switch's without an id": {filesOf(t, a, pair(a.Switch(nil, now, time.Hour))),
			`of "switch" is not made for both`},
		"an instance's for switches": {filesOf(t, a, pair(a.Instance("weir-3", []string{"192.0.2.1"}, now, time.Hour))),
			"incompatible key usage"},
		"another authority's": {filesOf(t, a, pair(other.Peer("weir-3", []string{"192.0.2.1"}, now, time.Hour))),
			"unknown authority"},
		"an old one": {filesOf(t, a, pair(a.Peer("weir-3", []string{"192.0.2.1"}, now.Add(-2*time.Hour), time.Hour))),
			"expired"},
	} {
		if here, there := greet(t, one, bad.files, "192.0.2.1"); here == nil || there == nil ||
			!strings.Contains(here.Error(), bad.want) {
			t.Errorf("%s: the server says %v, the client %v; want %q", name, here, there, bad.want)
		}
		if here, there := greet(t, bad.files, one, "192.0.2.1"); here == nil || there == nil {
			t.Errorf("%s as a server: %v, %v", name, here, there)
		}
	}
	if err := one.Check(now); err != nil {
		t.Error(err)
	}
	expired := one.Cert + ": certificate has expired"
	if err := one.Check(now.Add(2 * time.Hour)); err == nil || !strings.Contains(err.Error(), expired) {
		t.Error(err)
	}
}

// TestPeersFilesAreReadAgain: a certificate that takes another's place is shown at the next handshake.
func TestPeersFilesAreReadAgain(t *testing.T) {
	now := time.Now()
	a, _, _ := New("one", now, time.Hour)
	old := must[Pair](t)(a.Peer("weir-1", []string{"192.0.2.1"}, now.Add(-2*time.Hour), time.Hour))
	files := filesOf(t, a, old)
	server, client := files.Server(), filesOf(t, a, must[Pair](t)(a.Peer("weir-2", []string{"w"}, now, time.Hour)))
	if _, there := greet(t, files, client, "192.0.2.1"); there == nil {
		t.Fatal("an old certificate was taken")
	}
	fresh := must[Pair](t)(a.Peer("weir-1", []string{"192.0.2.1"}, now, time.Hour))
	for path, text := range map[string][]byte{files.Cert: fresh.Cert, files.Key: fresh.Key} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := server.GetConfigForClient(nil)
	if err != nil || string(cfg.Certificates[0].Leaf.Raw) != string(must[*x509.Certificate](t)(parseCert(fresh.Cert)).Raw) {
		t.Errorf("the old certificate is shown: %v", err)
	}
	if here, there := greet(t, files, client, "192.0.2.1"); here != nil || there != nil {
		t.Errorf("%v, %v", here, there)
	}
	os.Remove(files.CA)
	if _, err := server.GetConfigForClient(nil); err == nil || !strings.Contains(err.Error(), files.CA) {
		t.Errorf("without an authority: %v", err)
	}
}

// TestAPeerIsNoSwitch: what instances show to each other proves no datapath id, even where none has to be named.
func TestAPeerIsNoSwitch(t *testing.T) {
	a, _ := written(t)
	peer := must[*x509.Certificate](t)(parseCert(must[Pair](t)(a.Peer("weir-1", []string{"w"}, now, time.Hour)).Cert))
	if err := Check(peer, 1, true); !errors.Is(err, ErrPeer) {
		t.Error(err)
	}
	device := must[*x509.Certificate](t)(parseCert(must[Pair](t)(a.Switch([]uint64{1}, now, time.Hour)).Cert))
	if !IsPeer(peer) || IsPeer(device) || len(device.ExtKeyUsage) != 1 {
		t.Error("a switch's certificate has both usages, or is a peer's")
	}
	if _, err := a.Peer("weir-1", nil, now, time.Hour); err == nil {
		t.Error("a peer without an address was signed")
	}
}
