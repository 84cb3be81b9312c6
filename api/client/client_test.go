package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func newTest(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	c, err := New(Config{Address: srv.URL, Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestPages: all pages are read, each with the token, and at_least is asked of the first only.
func TestPages(t *testing.T) {
	var asked []string
	c := newTest(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RequestURI()+" "+r.Header.Get("Authorization"))
		p := Page[Host]{Items: []Host{{ID: fmt.Sprint(len(asked))}}, Revision: "r"}
		if len(asked) < 3 {
			p.Continue = "next"
		}
		json.NewEncoder(w).Encode(p)
	})
	p, err := c.AtLeast("r7").Hosts(t.Context())
	if err != nil || len(p.Items) != 3 || p.Revision != "r" || p.Continue != "" {
		t.Errorf("got %+v, %v", p, err)
	}
	want := "/v1/hosts?at_least=r7 Bearer secret,/v1/hosts?at_least=r7&continue=next Bearer secret"
	if got := strings.Join(asked[:2], ","); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
}

func TestErrors(t *testing.T) {
	answer := func(code int, body string) *Client {
		return newTest(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); w.Write([]byte(body)) })
	}
	_, err := answer(404, `{"title":"Not Found","status":404,"detail":"no switch"}`).Switches(t.Context())
	var p *Problem
	if !errors.As(err, &p) || p.Title != "Not Found" || p.Status != 404 || p.Detail != "no switch" ||
		err.Error() != "no switch (404 Not Found)" {
		t.Errorf("problem: %v", err)
	}
	_, err = answer(502, "<html>a proxy</html>").Switches(t.Context())
	if !errors.As(err, &p) || p.Status != 502 || err.Error() != "502 Bad Gateway" {
		t.Errorf("another server: %v", err)
	}
	if _, err = answer(200, `{"items":`).Switches(t.Context()); !errors.Is(err, ErrUnreachable) {
		t.Errorf("cut off: %v", err)
	}
	c, _ := New(Config{Address: "127.0.0.1:1"})
	if _, err = c.Switches(t.Context()); !errors.Is(err, ErrUnreachable) {
		t.Errorf("nobody there: %v", err)
	}
	for _, bad := range []string{"", "8181", "host", "ftp://host:1", "http://", "host:1/path", "http://h:1?q", ":\n"} {
		if _, err := New(Config{Address: bad}); err == nil {
			t.Errorf("address %q is taken", bad)
		}
	}
}

// TestWatch: a broken stream is made again and goes on after the last event that had an id.
func TestWatch(t *testing.T) {
	var asked []string
	streams := []string{
		"retry: 1\nid: r1\n\n: comment\n\nid: r2\nevent: link\ndata: {\"up\":true,\ndata: \"op\":\"put\"}\n\nevent: host\ndata: {}",
		"event: host\ndata:{\"op\":\"delete\"}\n\nid: r3\nevent: reset\ndata: {}\n\n",
	}
	c := newTest(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Last-Event-ID")+" "+r.URL.Query().Get("kind"))
		if len(asked) > len(streams) {
			w.WriteHeader(401)
			return
		}
		w.Write([]byte(streams[len(asked)-1]))
	})
	var got []string
	err := c.Watch(t.Context(), Watch{Kinds: []string{"link", "host"}}, func(e Event) error {
		got = append(got, fmt.Sprint(e.ID, " ", e.Kind, " ", e.Delete))
		return nil
	})
	var p *Problem
	if !errors.As(err, &p) || p.Status != 401 {
		t.Errorf("Watch: %v, want the refusal", err)
	}
	if a := strings.Join(asked, ","); a != " link,host,r2 link,host,r3 link,host" {
		t.Errorf("asked %s", a)
	}
	if g := strings.Join(got, ","); g != "r2 link false, host true,r3 reset false" {
		t.Errorf("got %s", g)
	}
}

func TestWatchEnds(t *testing.T) {
	c := newTest(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("event: link\ndata: {}\n\n"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	stop := errors.New("enough")
	if err := c.Watch(t.Context(), Watch{}, func(Event) error { return stop }); err != stop {
		t.Errorf("ended by its function: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := c.Watch(ctx, Watch{}, func(Event) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended by its context: %v", err)
	}
	bad, _ := New(Config{Address: "127.0.0.1:1"})
	if err := bad.Watch(t.Context(), Watch{}, nil); !errors.Is(err, ErrUnreachable) {
		t.Errorf("nobody there at the start: %v", err)
	}
}

func TestFindToken(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("WEIR_TOKEN", "")
	if got := FindToken("", dir); got != "" {
		t.Errorf("none anywhere: %q", got)
	}
	os.WriteFile(filepath.Join(dir, TokenFile), []byte("of-file\n"), 0o600)
	if got := FindToken("", dir); got != "of-file" {
		t.Errorf("file: %q", got)
	}
	t.Setenv("WEIR_TOKEN", "of-environment")
	if got := FindToken("", dir); got != "of-environment" {
		t.Errorf("environment before file: %q", got)
	}
	if got := FindToken("given", dir); got != "given" {
		t.Errorf("given before all: %q", got)
	}
}

func TestHex(t *testing.T) {
	b, _ := json.Marshal(map[string]Hex64{"c": 1<<63 + 1})
	if string(b) != `{"c":"0x8000000000000001"}` {
		t.Errorf("%s", b)
	}
	var v map[string]Hex64
	for text, want := range map[string]Hex64{"0x1a": 26, "1A": 26, "ffffffffffffffff": 1<<64 - 1} {
		if err := json.Unmarshal([]byte(`{"c":"`+text+`"}`), &v); err != nil || v["c"] != want {
			t.Errorf("%s: %v %v", text, v["c"], err)
		}
	}
	for _, bad := range []string{`{"c":"0x"}`, `{"c":"g"}`, `{"c":12}`, `{"c":"1ffffffffffffffff"}`, `{"c":""}`} {
		if json.Unmarshal([]byte(bad), &v) == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

func TestParseDPID(t *testing.T) {
	for s, want := range map[string]uint64{"1": 1, "0x1": 1, "00000000000000a1": 0xa1,
		"00:00:00:00:00:00:00:A1": 0xa1, "ffffffffffffffff": 1<<64 - 1} {
		if v, err := ParseDPID(s); err != nil || v != want {
			t.Errorf("%s: %x %v", s, v, err)
		}
	}
	for _, bad := range []string{"", "0x", "g", "1ffffffffffffffff", "-1", "+1", "1_0", " 1"} {
		if v, err := ParseDPID(bad); err == nil {
			t.Errorf("%q is taken as %x", bad, v)
		}
	}
}

// FuzzEvents: no stream makes the reader panic, and every event it yields has a kind and JSON.
func FuzzEvents(f *testing.F) {
	f.Add("id: 1\nevent: link\ndata: {\"op\":\"put\"}\n\n")
	f.Add("event: link\ndata: x\n\n:\n\ndata\nid\n\n\r\n")
	f.Fuzz(func(t *testing.T, stream string) {
		readEvents(strings.NewReader(stream), &Watch{}, func(e Event) error {
			if e.Kind == "" || !json.Valid(e.Data) {
				t.Fatalf("event %+v", e)
			}
			return nil
		})
	})
}

// TestStreamEndsWithItsServer: a server that dies before it answers ends the opening of a stream,
// whose body nobody has written to.
func TestStreamEndsWithItsServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			bufio.NewReader(conn).ReadString('\n') // the request has begun
			conn.Close()
		}
	}()
	c, err := New(Config{Address: ln.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if s, err := c.StreamIntents(ctx, false); err == nil || ctx.Err() != nil {
		t.Errorf("%v: %v", s, err)
	}
}
