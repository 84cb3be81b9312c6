package api

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weirnet/weir/netview"
)

// serve runs the server on a socket, and returns its address and what Serve returns after the end.
func (s *small) serve(t *testing.T) (addr string, end func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	return l.Addr().String(), func() error { cancel(); return <-done }
}

// TestServe: an end is orderly although an event stream is open.
func TestServe(t *testing.T) {
	s := newSmall(t, func(c *Config) { c.Limits.ShutdownWait = time.Minute })
	addr, end := s.serve(t)
	w := s.watch(t, "http://"+addr+eventsPath, "")
	w.want("e.2")
	if err := end(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if w.lines.Scan() && w.lines.Text() != "" {
		t.Errorf("the stream goes on: %s", w.lines.Text())
	}
	if _, err := net.Dial("tcp", addr); err == nil {
		t.Error("still listening")
	}
}

// TestStreamOutlivesReadLimit: Limits.Read is for requests and ends no event stream.
func TestStreamOutlivesReadLimit(t *testing.T) {
	s := newSmall(t, func(c *Config) {
		c.Limits.Read, c.Limits.Write, c.Limits.KeepAlive = 50*time.Millisecond, 50*time.Millisecond, 20*time.Millisecond
	})
	addr, end := s.serve(t)
	defer end()
	w := s.watch(t, "http://"+addr+eventsPath+"?kind=host", "")
	defer w.close()
	w.want("e.2")
	for beats := 0; beats < 8; { // 8 beats are longer than both limits
		if !w.lines.Scan() {
			t.Fatalf("ended after %d beats: %v", beats, w.lines.Err())
		}
		if strings.HasPrefix(w.lines.Text(), ":") {
			beats++
		}
	}
	s.hostTx([]byte{9}, nil)
	w.want("e.3.1 host put 00:00:00:00:00:09")
}

// TestSlowRequests: who does not finish a header, or sends too long a one, is cut off.
func TestSlowRequests(t *testing.T) {
	s := newSmall(t, func(c *Config) { c.Limits.ReadHeader = 50 * time.Millisecond })
	addr, end := s.serve(t)
	defer end()
	for request, want := range map[string]string{
		"GET /v1/links HTTP/1.1\r\nHost: 127.0.0.1\r\n":                                                "", // never finished
		"GET /v1/links HTTP/1.1\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n":                     "HTTP/1.1 431 ",
		"GET /v1/links HTTP/1.1\r\nX y\r\n\r\n":                                                        "HTTP/1.1 400 ",
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03":                                                 "HTTP/1.1 400 ",
		"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n":                        "HTTP/1.1 200 ",
		"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil\r\nConnection: close\r\n\r\n":          "HTTP/1.1 400 ",
		"GET /v1/links HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\nConnection: close\r\n\r\n": "HTTP/1.1 400 ",
	} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, request)
		answer, _ := io.ReadAll(conn)
		conn.Close()
		if want == "" && len(answer) > 0 && !strings.HasPrefix(string(answer), "HTTP/1.1 4") ||
			!strings.HasPrefix(string(answer), want) {
			t.Errorf("%.60q: answer %.60q, want %q", request, answer, want)
		}
	}
}

// TestTwoLengths: a request with a Content-Length beside Transfer-Encoding is the last of its
// connection, whoever sends it.
func TestTwoLengths(t *testing.T) {
	s := newSmall(t, nil)
	addr, end := s.serve(t)
	defer end()
	for _, token := range []string{"", "no-token-of-this-instance", operatorToken} {
		for _, path := range []string{"/v1/drain", "/v1/config", "/v1/intents", "/nothing"} {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+
				"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", path, token)
			answer, err := io.ReadAll(conn)
			if conn.Close(); err != nil || strings.Count(string(answer), "HTTP/1.1 ") != 1 ||
				!strings.Contains(string(answer), "Connection: close\r\n") {
				t.Errorf("%s: %v, answers %q", path, err, answer)
			}
		}
	}
}

func TestServeTLS(t *testing.T) {
	own := httptest.NewTLSServer(nil)
	own.Close()
	s := newSmall(t, func(c *Config) { c.TLS = &tls.Config{Certificates: own.TLS.Certificates} })
	addr, end := s.serve(t)
	defer end()
	client := own.Client()
	for host, want := range map[string]int{"example.com": 200, "evil.example": 403} { // the certificate is for example.com
		req, _ := http.NewRequest("GET", "https://"+addr+"/v1/links", nil)
		req.Host = host
		req.Header.Set("Authorization", "Bearer "+viewerToken)
		req.Header.Set("Origin", "https://"+host)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("Host %s: status %d, want %d", host, resp.StatusCode, want)
		}
	}
}

func TestProbesAndMetrics(t *testing.T) {
	bad := fmt.Errorf("no switch listener")
	s := newSmall(t, func(c *Config) { c.Ready = func() error { return bad } })
	if w := s.do("GET", "/readyz", func(r *http.Request) { r.Header.Del("Authorization") }); w.Code != 503 ||
		!strings.Contains(w.Body.String(), bad.Error()) {
		t.Errorf("/readyz: %d %s", w.Code, w.Body)
	}
	s.get("/v1/links")
	s.get("/v1/nothing-of-that-name")
	s.do("GET", "/v1/links", func(r *http.Request) { r.Header.Del("Authorization") })
	text := s.get("/metrics").Body.String()
	for _, line := range []string{
		`weir_api_requests_total{code="200",method="GET",route="/v1/links"} 1`,
		`weir_api_requests_total{code="401",method="GET",route="/v1/links"} 1`,
		`weir_api_requests_total{code="404",method="none",route="none"} 1`, `weir_api_refused_total{reason="token"} 1`,
		`weir_api_request_seconds_count{route="/v1/links"} 2`, `weir_api_event_streams 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("/metrics has no %s", line)
		}
	}
	if err := prometheus.NewPedanticRegistry().Register(s); err != nil {
		t.Error(err)
	}
}

// TestFront: the plain page names every route and no row of the network can write into it.
func TestFront(t *testing.T) {
	s := newSmall(t, nil)
	s.facts.Update(func(tx *netview.FactsTx) {
		sw := *testSwitch(3)
		sw.Name = "<script>"
		tx.PutSwitch(&sw)
	})
	w := s.get("/")
	for _, r := range s.Routes() {
		if !strings.Contains(w.Body.String(), r.Path) {
			t.Errorf("no %s on the plain page", r.Path)
		}
	}
	if strings.Contains(w.Body.String(), "<script>") || w.Header().Get("Content-Security-Policy") == "" {
		t.Error("the plain page can be written into")
	}
}
