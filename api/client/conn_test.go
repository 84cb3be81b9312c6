package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// TestTLS: an https address is asked with the authorities that were given, and with none of them it
// is not trusted; a stream over it ends with its server.
func TestTLS(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			io.WriteString(w, page)
			return
		}
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.Close()
		}
	}))
	srv.Config.ErrorLog = nil
	srv.StartTLS()
	defer srv.Close()
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	c, err := New(Config{Address: srv.URL + "/", TLS: &tls.Config{RootCAs: pool}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if p, err := c.Links(t.Context()); err != nil || p.Revision != "e.7" {
		t.Errorf("%+v, %v", p, err)
	}
	if s, err := c.StreamIntents(t.Context(), true); !errors.Is(err, ErrUnreachable) {
		t.Errorf("a stream whose server goes: %v, %v", s, err)
	}
	c, err = New(Config{Address: srv.URL})
	if err != nil {
		t.Fatal(err)
	}
	var unknown x509.UnknownAuthorityError
	if _, err := c.Links(t.Context()); !errors.Is(err, ErrUnreachable) || !errors.As(err, &unknown) {
		t.Errorf("an authority that is not trusted: %v", err)
	}
}

// TestConnectionEnds: the end of a connection is told once, to the last request on it, and at once
// if it has ended.
func TestConnectionEnds(t *testing.T) {
	var peer net.Conn
	dial := notifying(func(context.Context, string, string) (net.Conn, error) {
		var own net.Conn
		own, peer = net.Pipe()
		return own, nil
	})
	conn, err := dial(t.Context(), "tcp", "x")
	if err != nil {
		t.Fatal(err)
	}
	defer peer.Close()
	ended := map[string]int{}
	c := conn.(*notifyingConn)
	c.atEnd(func() { ended["first"]++ })
	c.atEnd(func() { ended["second"]++ })
	c.Close()
	c.Close()
	c.atEnd(func() { ended["late"]++ })
	if len(ended) != 2 || ended["second"] != 1 || ended["late"] != 1 {
		t.Errorf("%v", ended)
	}
	none := notifying(func(context.Context, string, string) (net.Conn, error) { return nil, io.ErrClosedPipe })
	if conn, err := none(t.Context(), "tcp", "x"); err != io.ErrClosedPipe || conn != nil {
		t.Errorf("%v, %v", conn, err)
	}
}

// TestManyGoroutines: one client serves many callers, each with a revision of its own.
func TestManyGoroutines(t *testing.T) {
	c := newTest(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, `{"items":[],"revision":"`+r.URL.Query().Get("at_least")+`"}`)
	})
	var callers sync.WaitGroup
	for _, revision := range []string{"e.1", "e.2", "e.3", "e.4", "e.5", "e.6", "e.7", "e.8"} {
		callers.Go(func() {
			for range 20 {
				if p, err := c.AtLeast(revision).Links(t.Context()); err != nil || p.Revision != revision {
					t.Errorf("%s: %+v, %v", revision, p, err)
				}
			}
		})
	}
	callers.Wait()
	if p, err := c.Links(t.Context()); err != nil || p.Revision != "" {
		t.Errorf("AtLeast has changed its client: %+v, %v", p, err)
	}
}
