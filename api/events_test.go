package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/netview"
)

// watch is an event stream under test.
type watch struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
	proto string // as HTTP names it
}

func (s *small) watch(t *testing.T, url, last string) *watch {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
	req.Header.Set("Authorization", "Bearer "+viewerToken)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("status %d, %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	w := newWatch(t, resp)
	w.close = func() { cancel(); resp.Body.Close() }
	return w
}

func newWatch(t *testing.T, resp *http.Response) *watch {
	t.Helper()
	return &watch{t, bufio.NewScanner(resp.Body), func() { resp.Body.Close() }, resp.Proto}
}

// event is the next event as "id kind op key", or as "id" where a block has nothing else.
func (w *watch) event() string {
	w.t.Helper()
	var id, kind, data string
	for w.lines.Scan() {
		name, value, _ := strings.Cut(w.lines.Text(), ": ")
		switch name {
		case "id":
			id = value
		case "event":
			kind = value
		case "data":
			data = value
		case "":
			if kind != "" {
				return strings.TrimSpace(id + " " + kind + " " + brief(data))
			} else if id != "" {
				return id
			}
		}
	}
	w.t.Fatalf("stream ended: %v", w.lines.Err())
	return ""
}

// brief is what tells an event's row: its op and name, or of a link whether it is up.
func brief(data string) string {
	var row struct{ Op, ID, DPID, Name, Up any }
	if err := json.Unmarshal([]byte(data), &row); err != nil {
		return err.Error()
	}
	for _, v := range []any{row.ID, row.DPID, row.Name, row.Up} {
		if v != nil {
			return fmt.Sprint(row.Op, " ", v)
		}
	}
	return ""
}

func (w *watch) want(events ...string) {
	w.t.Helper()
	for _, want := range events {
		if got := w.event(); got != want {
			w.t.Fatalf("got event  %s\nwant event %s", got, want)
		}
	}
}

func (s *small) hostTx(put, del []byte) {
	s.facts.Update(func(tx *netview.FactsTx) {
		for _, n := range put {
			h := testHost(n, 0)
			h.At = netview.Point{DPID: 1, Port: 1}
			tx.PutHost(h)
		}
		for _, n := range del {
			tx.DeleteHost(testHost(n, 0).HostID)
		}
	})
}

func (s *small) start(t *testing.T) string {
	srv := httptest.NewUnstartedServer(s)
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.URL + eventsPath
}

// TestEvents: a stream without an id begins now, and what is resumed goes on behind the last event,
// inside a transaction too.
func TestEvents(t *testing.T) {
	s := newSmall(t, nil)
	url := s.start(t)
	w := s.watch(t, url, "")
	w.want("e.2")
	s.hostTx([]byte{3, 4}, []byte{1})
	s.hostTx(nil, []byte{3})
	all := []string{`e.3.1 host put 00:00:00:00:00:03`, `e.3.2 host put 00:00:00:00:00:04`, `e.3.3 host delete 00:00:00:00:00:01`,
		`e.4.1 host delete 00:00:00:00:00:03`}
	w.want(all...)
	w.close()
	members := `member put weir-1`
	for i, last := range []string{"e.2", "e.3.1", "e.3.2", "e.3.3"} {
		w := s.watch(t, url, last)
		w.want(all[i:]...)
		w.want(members)
		w.close()
	}
	w = s.watch(t, url, "e.4")
	defer w.close()
	w.want(members)
	s.facts.Update(func(tx *netview.FactsTx) {
		l, _ := tx.Link(netview.LinkKey{Src: netview.Point{DPID: 1, Port: 2}, Dst: netview.Point{DPID: 2, Port: 2}})
		down := *l
		down.Up = false
		tx.PutLink(&down)
		tx.DeleteHost(testHost(4, 0).HostID)
	})
	w.want(`e.5.1 link put false`, `e.5.2 host delete 00:00:00:00:00:04`)
}

// TestEventsOfAnEmptyView: the position is told at revision 0 too.
func TestEventsOfAnEmptyView(t *testing.T) {
	s := &small{view: netview.New(netview.Limits{})}
	s.Server = New(Config{View: s.view, StackConfig: rest.StackConfig{Access: rest.Access{Open: true}}})
	s.Run = "e"
	w := s.watch(t, s.start(t), "")
	defer w.close()
	w.want("e.0")
	s.view.Facts().Update(func(tx *netview.FactsTx) { tx.PutSwitch(testSwitch(1)) })
	w.want("e.1.1 switch put 0000000000000001")
}

// TestEventsReset: an id that is not known gives reset, all rows and synced, whose id goes on.
func TestEventsReset(t *testing.T) {
	s := newSmall(t, nil)
	url := s.start(t)
	for _, last := range []string{"x", "f.1", "e.99", "e.1.x", "e.0.1", "e.2.1.1", "18446744073709551616.1",
		"e.18446744073709551615"} {
		w := s.watch(t, url+"?kind=switch,host", last)
		w.want("reset", `switch put 0000000000000001`, `switch put 0000000000000002`,
			`host put 00:00:00:00:00:01`, `host put 00:00:00:00:00:02/7`, "e.2 synced")
		w.close()
	}
}

// TestEventsBehindTheLog: a watcher that missed more changes than the log has gets a snapshot.
func TestEventsBehindTheLog(t *testing.T) {
	s := newSmall(t, nil)
	url := s.start(t)
	for n := range 70 {
		s.hostTx([]byte{byte(100 + n)}, nil)
	}
	w := s.watch(t, url+"?kind=member", "e.2")
	defer w.close()
	w.want("reset", `member put weir-1`, "e.72 synced")
}

// TestEventsKeepAlive: a silent stream's position moves past changes that are none of its kinds.
func TestEventsKeepAlive(t *testing.T) {
	s := newSmall(t, func(c *Config) { c.Limits.KeepAlive = time.Millisecond })
	w := s.watch(t, s.start(t)+"?kind=switch", "")
	defer w.close()
	w.want("e.2")
	s.hostTx([]byte{9}, nil)
	w.want("e.3")
}

func TestWatchersAreBounded(t *testing.T) {
	s := newSmall(t, func(c *Config) { c.Limits.Watchers = 2 })
	url := s.start(t)
	for range 2 {
		w := s.watch(t, url, "")
		defer w.close()
		w.want("e.2")
	}
	if w := s.get(eventsPath); w.Code != 429 || w.Header().Get("Retry-After") == "" {
		t.Errorf("third watcher: status %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
}

// TestSlowWatcher: one that never reads is given up after Limits.Write, and holds up neither the
// view nor another watcher.
func TestSlowWatcher(t *testing.T) {
	s := newSmall(t, func(c *Config) { c.Limits.Write = time.Second })
	ended := make(chan string, 2)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r)
		ended <- r.Header.Get("X-Name")
	}))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nX-Name: slow\r\n\r\n",
		eventsPath, viewerToken)
	w := s.watch(t, srv.URL+eventsPath+"?kind=switch", "")
	w.want("e.2")
	seen := noon
	for gone := ""; gone != "slow"; {
		seen = seen.Add(time.Second)
		s.facts.Update(func(tx *netview.FactsTx) {
			for n := range 50 {
				h := testHost(byte(n), 9)
				h.At, h.Seen = netview.Point{DPID: 1, Port: 1}, seen
				tx.PutHost(h)
			}
		})
		select {
		case gone = <-ended:
		default:
		}
	}
	s.facts.Update(func(tx *netview.FactsTx) { tx.PutSwitch(testSwitch(3)) })
	for !strings.HasSuffix(w.event(), `0000000000000003`) { // perhaps after resets, because the log is short
	}
	w.close()
	<-ended
	if n := s.events.watchers.Load(); n != 0 {
		t.Errorf("%d watchers left", n)
	}
}

// TestMemberEvents: members that change or go are events too.
func TestMemberEvents(t *testing.T) {
	members := make(chan []client.Member, 1)
	now := []client.Member{{Name: "a"}, {Name: "b"}}
	s := newSmall(t, func(c *Config) {
		c.Members = func() []client.Member {
			select {
			case now = <-members:
			default:
			}
			return now
		}
	})
	w := s.watch(t, s.start(t)+"?kind=member", "")
	defer w.close()
	w.want("e.2")
	members <- []client.Member{{Name: "a", Leader: true}}
	s.hostTx([]byte{9}, nil)
	w.want(`member put a`, `member delete b`)
}
