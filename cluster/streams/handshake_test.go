package streams

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/weirnet/weir/cluster/liveness"
	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/session/pipe"
)

// alone starts the instance weir-2 of cluster c1, number 2, with members 1, 2 and 3, of which 3 has no name yet.
func alone(t *testing.T, change ...func(*Config)) *Streams {
	cfg := Config{Cluster: 0xc1, Self: liveness.Life{ID: 2, Incarnation: 0x20}, Name: "weir-2",
		Dial: func(ctx context.Context, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }}
	for _, f := range change {
		f(&cfg)
	}
	s, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.own.speaks = versions{2, 4}
	s.SetPeers([]Peer{{ID: 1, Name: "weir-1", Addr: "192.0.2.1:2380"}, {ID: 2, Name: "weir-2"}, {ID: 3, Addr: "192.0.2.3:2380"}})
	return s
}

// TestCalled: what an instance answers to calls, in testdata/called. The input is what comes, the output what is sent.
func TestCalled(t *testing.T) {
	golden.Each(t, "testdata/called", func(t *testing.T, path string) {
		s := alone(t)
		door := &door{calls: make(chan net.Conn, 1), shut: make(chan struct{})}
		mux := http.NewServeMux()
		mux.Handle(Path, s.Handler())
		server := &http.Server{Handler: mux}
		go server.Serve(door)
		defer server.Close()
		var open []net.Conn
		golden.Run(t, path, func(t *testing.T, c *golden.Command) string {
			if c.Name != "call" {
				t.Fatalf("%s:%d: no command %s", c.File, c.Line, c.Name)
			}
			near, far := pipe.New(pipe.Options{})
			open = append(open, near)
			door.calls <- far
			fmt.Fprint(near, strings.ReplaceAll(strings.TrimSpace(c.Input), "\n", "\r\n"), "\r\nHost: x\r\n\r\n")
			return answerOf(t, near)
		})
		for _, c := range open {
			c.Close()
		}
	})
}

// headers are those of a hello.
var headers = []string{headerCluster, headerInstance, headerName, headerIncarnation, headerVersions, headerLane, headerTo}

var date = regexp.MustCompile(`(?m)^Date: .*\n`)

// answerOf is the answer that comes on a connection: its head, and its text if it was no 101.
func answerOf(t *testing.T, c net.Conn) string {
	t.Helper()
	r := bufio.NewReader(c)
	var text strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		fmt.Fprintln(&text, line)
	}
	if !strings.Contains(text.String(), " 101 ") {
		var length int
		if _, after, ok := strings.Cut(text.String(), "Content-Length: "); ok {
			fmt.Sscan(after, &length)
		}
		b := make([]byte, length)
		if _, err := io.ReadFull(r, b); err != nil {
			t.Fatal(err)
		}
		text.Write(b)
	}
	return date.ReplaceAllString(text.String(), "")
}

// TestCalls: what an instance says when it calls, and what it makes of answers, in testdata/calls.
func TestCalls(t *testing.T) {
	golden.Each(t, "testdata/calls", func(t *testing.T, path string) {
		s := alone(t)
		golden.Run(t, path, func(t *testing.T, c *golden.Command) string {
			near, far := pipe.New(pipe.Options{})
			said := make(chan string, 1)
			go func() {
				r := bufio.NewReader(far)
				req, err := http.ReadRequest(r)
				if err != nil {
					said <- err.Error()
					return
				}
				var text strings.Builder
				fmt.Fprintf(&text, "%s %s\n", req.Method, req.URL)
				for _, name := range append([]string{"Connection", "Upgrade"}, headers...) {
					fmt.Fprintf(&text, "%s: %s\n", name, req.Header.Get(name))
				}
				fmt.Fprint(far, strings.ReplaceAll(strings.TrimSpace(c.Input), "\n", "\r\n"), "\r\n\r\n")
				if c.Name == "silent" {
					near.Cut()
				}
				far.Close()
				said <- text.String()
			}()
			_, err := (&caller{s, 3}).greet(near, Peer{ID: 3, Addr: "192.0.2.3:2380"}, messages)
			near.Close()
			text := <-said
			if c.Name == "show" {
				return text + fmt.Sprint("→ ", err)
			}
			return fmt.Sprint(err)
		})
	})
}

func FuzzHello(f *testing.F) {
	own := hello{0xc1, liveness.Life{ID: 1, Incarnation: 0x10}, "weir 1/ü", versions{1, 2}, bulk, 2}
	h := http.Header{}
	own.fill(h)
	var names, values []string
	for _, name := range headers {
		names = append(names, name)
		values = append(values, h.Get(name))
	}
	f.Add(strings.Join(values, "\n"))
	f.Add("\n\n\n\n\n\n")
	f.Add(strings.Repeat("\xf4", 300))
	f.Fuzz(func(t *testing.T, text string) {
		h := http.Header{}
		for i, value := range strings.Split(text, "\n") {
			if i < len(names) {
				h.Set(names[i], value)
			}
		}
		got, err := parseHello(h)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || len(err.Error()) > 1000 {
				t.Errorf("%q", err)
			}
			return
		}
		again := http.Header{}
		got.fill(again)
		if back, err := parseHello(again); err != nil || back != got {
			t.Errorf("%+v is %+v, %v", got, back, err)
		}
	})
}

func TestHelloIsReadAsWritten(t *testing.T) {
	own := hello{0xc1, liveness.Life{ID: 1, Incarnation: 0x10}, "weir 1/ü", versions{1, 2}, bulk, 2}
	h := http.Header{}
	own.fill(h)
	if got, err := parseHello(h); err != nil || got != own {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCommonVersion(t *testing.T) {
	for _, c := range []struct {
		a, b versions
		want int
	}{{versions{1, 1}, versions{1, 1}, 1}, {versions{1, 3}, versions{2, 5}, 3}, {versions{1, 2}, versions{3, 4}, 0}} {
		if got := c.a.common(c.b); got != c.want || c.b.common(c.a) != got {
			t.Errorf("%v and %v: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestPrintable(t *testing.T) {
	if got := printable(" a\x1b[31m\nb\u202ec\xff\n"); got != "a [31m b c " {
		t.Errorf("%q", got)
	}
}
