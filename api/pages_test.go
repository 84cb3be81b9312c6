package api

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

func getPage(t *testing.T, s *small, path string) client.Page[client.Host] {
	t.Helper()
	w := s.get(path)
	if w.Code != 200 {
		t.Fatalf("GET %s: %d %s", path, w.Code, w.Body)
	}
	var p client.Page[client.Host]
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPagesAreOneSnapshot reads a list page by page while its rows come and go.
func TestPagesAreOneSnapshot(t *testing.T) {
	s := newSmall(t, nil)
	s.facts.Update(func(tx *netview.FactsTx) {
		for n := byte(10); n < 20; n++ {
			h := testHost(n, 0)
			h.At = netview.Point{DPID: 1, Port: 1}
			tx.PutHost(h)
		}
	})
	p := getPage(t, s, "/v1/hosts?limit=5")
	ids, rev := p.Items, p.Revision
	for n := byte(10); p.Continue != ""; n++ {
		s.facts.Update(func(tx *netview.FactsTx) { tx.DeleteHost(testHost(n+5, 0).HostID) })
		p = getPage(t, s, "/v1/hosts?limit=5&continue="+p.Continue)
		if p.Revision != rev {
			t.Errorf("revision %s of a later page, %s of the first", p.Revision, rev)
		}
		ids = append(ids, p.Items...)
	}
	if len(ids) != 12 {
		t.Errorf("%d hosts over all pages, want 12", len(ids))
	}
	for i := 1; i < len(ids); i++ {
		if ids[i-1].ID >= ids[i].ID {
			t.Errorf("%s before %s", ids[i-1].ID, ids[i].ID)
		}
	}
	if got := len(getPage(t, s, "/v1/hosts").Items); got >= 12 {
		t.Errorf("%d hosts now: nothing was deleted, the test tests nothing", got)
	}
}

func TestPagesAreKept60Seconds(t *testing.T) {
	s := newSmall(t, nil)
	p := getPage(t, s, "/v1/hosts?limit=1")
	s.now = s.now.Add(59 * time.Second)
	getPage(t, s, "/v1/hosts?continue="+p.Continue)
	s.now = s.now.Add(time.Second)
	if w := s.get("/v1/hosts?continue=" + p.Continue); w.Code != 410 {
		t.Errorf("after 60 s: status %d, want 410", w.Code)
	}
}

// TestPagesAreBounded: many first pages keep no more lists and rows than allowed, and the newest
// stay.
func TestPagesAreBounded(t *testing.T) {
	s := newSmall(t, func(c *Config) { c.Limits.KeptLists, c.Limits.KeptRows = 8, 10 })
	var last client.Page[client.Host]
	for range 100 {
		last = getPage(t, s, "/v1/hosts?limit=1")
	}
	if n, rows := len(s.pages.kept), s.pages.rows; n != 5 || rows != 10 {
		t.Errorf("%d lists of %d rows kept, want 5 of 10", n, rows)
	}
	getPage(t, s, "/v1/hosts?continue="+last.Continue)
	s.now = s.now.Add(time.Hour)
	s.pages.find("")
	if n, rows := len(s.pages.kept), s.pages.rows; n != 0 || rows != 0 {
		t.Errorf("after an hour %d lists of %d rows kept", n, rows)
	}
}

// TestAtLeastReadsWrites: a reader that waits for a revision sees all that was written until then,
// and neither less because something else was written first, nor a refusal because its time was
// over when it was there already.
func TestAtLeastReadsWrites(t *testing.T) {
	s := newSmall(t, func(c *Config) { c.Limits.AtLeastWait = time.Minute })
	v := s.view
	at := func(ahead int) string {
		return fmt.Sprintf("/v1/hosts?at_least=e.%d", int(v.Snapshot().Revision())+ahead)
	}
	path, done := at(2), make(chan int)
	go func() { done <- len(getPage(t, s, path).Items) }()
	for d := range s.view.Snapshot().Hosts() {
		select {
		case n := <-done:
			t.Fatalf("%s answered with %d hosts before", path, n)
		case <-time.After(20 * time.Millisecond): // however long: an early answer would come at once
		}
		s.facts.Update(func(tx *netview.FactsTx) { tx.DeleteHost(d.HostID) })
	}
	if n := <-done; n != 0 {
		t.Errorf("%d hosts at %s, want none", n, path)
	}
	s.Wait = 0
	path = at(0)
	for range 100 {
		if w := s.get(path); w.Code != 200 {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
