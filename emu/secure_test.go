package emu

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	"github.com/weirnet/weir/cert"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/session"
)

// pairOf is a certificate for TLS.
func pairOf(t *testing.T, p cert.Pair, err error) []tls.Certificate {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	c, err := tls.X509KeyPair(p.Cert, p.Key)
	if err != nil {
		t.Fatal(err)
	}
	return []tls.Certificate{c}
}

// TestTLS has each switch show a certificate of its own, its session be cut and come back, and what
// is captured be readable.
func TestTLS(t *testing.T) {
	now := time.Now()
	a, _, err := cert.New("test", now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.Cert)
	own, err := a.Instance("weir", []string{"weir"}, now, time.Hour)
	server := &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, Certificates: pairOf(t, own, err)}
	b := newBoss()
	var r recording
	secured := serve(t, b, session.Config{TLS: server})
	n := joined(t, "linear:3", b, openflow.V13, func(c *Config) {
		c.Dial = dialTo(map[string]*control{"c": secured})
		c.TLS = func(dpid uint64) *tls.Config {
			p, err := a.Switch([]uint64{dpid}, now, time.Hour)
			return &tls.Config{RootCAs: pool, ServerName: "weir", Certificates: pairOf(t, p, err)}
		}
	})
	for _, sw := range n.Switches() {
		s := b.of(t, sw.DatapathID())
		if codes := b.tell(t, s, toController()); codes != nil || sw.Entries() != 1 {
			t.Fatalf("%v, %d entries", codes, sw.Entries())
		}
	}
	sw := n.Switches()[0]
	if err := sw.Control().Disconnect(0); err != nil {
		t.Fatal(err)
	}
	await(t, "the session has ended", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.ended == 1
	})
	s := b.of(t, sw.DatapathID())
	stop, err := sw.Control().Capture(0, r.see)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	ask(t, s, &openflow.BarrierRequest{})
	if _, list := r.all(); len(list) < 2 {
		t.Errorf("captured %x", list)
	} else if h, _, err := openflow.Parse(list[0]); err != nil || h.Type != openflow.TypeBarrierRequest {
		t.Errorf("captured %x: %v", list[0], err)
	}
}

// TestWrongTLS has switches that the controller does not know try again and again, and nothing else
// happen.
func TestWrongTLS(t *testing.T) {
	b := newBoss()
	n := start(t, Config{Topology: parse(t, "linear:1"), Controllers: []string{"c"}, stack: newStation,
		BackoffMin: time.Millisecond,
		BackoffMax: time.Millisecond, Dial: dialTo(map[string]*control{"c": serve(t, b, session.Config{})}),
		TLS: func(uint64) *tls.Config { return &tls.Config{ServerName: "weir"} }})
	time.Sleep(20 * time.Millisecond)
	if got := n.Totals(); got.Connected != 0 || got.Sessions != 0 {
		t.Errorf("%+v", got)
	}
}
