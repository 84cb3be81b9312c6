package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/netview"
)

// inputs keep a configuration, drains and an audit log in memory.
type inputs struct {
	mu      sync.Mutex
	text    string
	drained []client.Drain
	broken  error // of what is to be kept
	log     memoryLog
}

type memoryLog struct {
	mu      sync.Mutex
	records []client.AuditRecord
	broken  error
	sync    func() error // of Begin; nil: at once
}

func (l *memoryLog) Begin(r client.AuditRecord) (func() error, error) {
	if err := l.Write(r); err != nil {
		return nil, err
	}
	if l.sync != nil {
		return l.sync, nil
	}
	return func() error { return nil }, nil
}

func (l *memoryLog) Write(r client.AuditRecord) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken != nil {
		return l.broken
	}
	l.records = append(l.records, r)
	return nil
}

func (l *memoryLog) Note(r client.AuditRecord) { l.Write(r) }

func (l *memoryLog) Read(since time.Time, limit int) ([]client.AuditRecord, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.records[max(0, len(l.records)-limit):], l.broken
}

func (i *inputs) Show() client.Configuration {
	i.mu.Lock()
	defer i.mu.Unlock()
	return client.Configuration{Text: i.text, Effective: map[string]any{"name": "weir-1"}, Pending: []client.ConfigChange{}}
}

func (i *inputs) Apply(text []byte, by rest.Actor, dryRun bool) ([]client.ConfigChange, netview.Revision, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	c, err := config.Parse(text)
	if err != nil {
		return nil, 0, err
	}
	var list []client.ConfigChange
	for _, d := range config.Diff(&config.Config{}, c) {
		if d.Admin && by.Role < rest.RoleAdmin && !dryRun {
			return nil, 0, fmt.Errorf("%s: %w", d.Path, ErrNotAllowed)
		}
		list = append(list, client.ConfigChange{Path: d.Path, Old: d.Old, New: d.New, Holds: "now",
			Needs: map[bool]string{true: "admin", false: "operator"}[d.Admin]})
	}
	if !dryRun {
		if i.broken != nil {
			return nil, 0, fmt.Errorf("%w: %w", ErrNotKept, i.broken)
		}
		i.text = string(text)
	}
	return list, 2, nil
}

type drainedInputs inputs

func (i *drainedInputs) List() []client.Drain {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.drained)
}

func (i *drainedInputs) Add(kind config.DrainKind, object string, by rest.Actor) (client.Drain, netview.Revision, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.broken != nil {
		return client.Drain{}, 0, fmt.Errorf("%w: %w", ErrNotKept, i.broken)
	}
	zero := 0
	d := client.Drain{Kind: string(kind), Object: object, State: "drained", Passing: &zero, By: by.Name, Since: noon}
	i.drained = append(i.drained, d)
	return d, 2, nil
}

func (i *drainedInputs) Remove(kind config.DrainKind, object string) (bool, netview.Revision, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := len(i.drained)
	i.drained = slices.DeleteFunc(i.drained, func(d client.Drain) bool { return d.Kind == string(kind) && d.Object == object })
	return len(i.drained) < n, 2, nil
}

// write asks for a change with a token and a body.
func (s *small) write(method, path, token, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = "127.0.0.1:8181"
	r.Header.Set("Authorization", "Bearer "+token)
	if strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// audits is the log, a line for each record, and forgets it.
func (s *small) audits() string {
	s.log.mu.Lock()
	defer s.log.mu.Unlock()
	var b strings.Builder
	ids := map[string]int{}
	for _, r := range s.log.records {
		if r.ID != "" && ids[r.ID] == 0 {
			ids[r.ID] = len(ids) + 1
		}
		fmt.Fprintf(&b, "%d %s %s %s %s [%s] %s %d %.60s\n", ids[r.ID], r.Who, r.Role, r.From, r.What, r.Object,
			r.Result, r.Status, r.Detail)
	}
	s.log.records = nil
	return b.String()
}

// TestChangesAreAudited compares what writes answer, and what the log then says, with
// testdata/audit.txt.
func TestChangesAreAudited(t *testing.T) {
	s := newSmall(t, nil)
	var got strings.Builder
	ask := func(method, path, token, body string) {
		w := s.write(method, path, token, body)
		if id := w.Header().Get("X-Request-Id"); (len(id) == 16) != (w.Code != 401 && w.Code != 403 &&
			method != "GET" && !strings.Contains(path, "dry_run=true")) && w.Code != 405 && w.Code != 403 {
			t.Errorf("%s %s: status %d with X-Request-Id %q", method, path, w.Code, id)
		}
		name := map[string]string{adminToken: "admin", operatorToken: "operator", viewerToken: "viewer"}[token]
		fmt.Fprintf(&got, "%s %s as %q: %s\n%d %s\n%s\n", method, path, name, body, w.Code,
			strings.TrimSpace(w.Body.String()), s.audits())
	}
	ask("POST", "/v1/config", adminToken, "name: x\ndiscovery: {lldp_period: 1s}\n")
	ask("POST", "/v1/config", operatorToken, "name: x\n")
	ask("POST", "/v1/config", operatorToken, "{\"switches\":{\"1\":{\"name\":\"edge\"}}}")
	ask("POST", "/v1/config", adminToken, "apps: {nope: x}\ndomain: 0\n")
	ask("POST", "/v1/config?dry_run=true", operatorToken, "discovery: {lldp_period: 1s}\n")
	ask("POST", "/v1/config?dry_run=true", viewerToken, "name: x\n")
	ask("POST", "/v1/config?dry_run=true", "wrong", "name: x\n")
	ask("POST", "/v1/config?dry_run=maybe", viewerToken, "name: x\n")
	ask("POST", "/v1/config?dry_run=maybe", operatorToken, "")
	ask("POST", "/v1/config", operatorToken, "")
	ask("POST", "/v1/config", viewerToken, "name: x\n")
	ask("POST", "/v1/config", "wrong", "name: x\n")
	for _, c := range [][2]string{{"switch", "s1"}, {"port", "s1/eth1"}, {"link", "2/2->s1/2"},
		{"link", "s1/2<->s2/eth2"}, {"switch", "9"}, {"port", "s1"}, {"port", "s1/9"}, {"link", "s1/1->s2/1"},
		{"link", "s1/1"}, {"rack", "1"}} {
		ask("POST", "/v1/drain", operatorToken, fmt.Sprintf(`{"kind":%q,"object":%q}`, c[0], c[1]))
	}
	ask("PUT", "/v1/drain", operatorToken, `{"kind":"switch","object":"2"}`)
	ask("POST", "/v1/drain", operatorToken, `{"kind":"switch"}`)
	ask("POST", "/v1/drain", operatorToken, `[`)
	ask("GET", "/v1/drain", viewerToken, "")
	ask("DELETE", "/v1/drain?kind=link&object=1/2-%3E2/2", operatorToken, "")
	ask("DELETE", "/v1/drain?kind=switch&object=s1", operatorToken, "")
	ask("DELETE", "/v1/drain?kind=switch&object=s1", operatorToken, "")
	ask("DELETE", "/v1/drain?kind=switch&object=77", operatorToken, "")
	ask("DELETE", "/v1/drain", operatorToken, "")
	ask("GET", "/v1/links", "wrong", "")
	ask("GET", "/v1/nothing", "", "")
	ask("DELETE", "/v1/links", adminToken, "")
	golden.Compare(t, "testdata/audit.txt", []byte(got.String()))
}

// TestOnlyADryRunIsUnaudited: a query that net/http and the handler read differently is no way
// around the log.
func TestOnlyADryRunIsUnaudited(t *testing.T) {
	for _, query := range []string{"dry_run=%zz&dry_run=true", "dry_run=;&dry_run=true", "dry_run=&dry_run=true",
		"dry_run=true&dry_run=false", "dry%5frun=true", "x=%zz&dry_run=true", "dry_run"} {
		for _, token := range []string{operatorToken, viewerToken} {
			s := newSmall(t, nil)
			r := httptest.NewRequest("POST", "/v1/config", strings.NewReader("discovery: {lldp_period: 1s}\n"))
			r.Host, r.URL.RawQuery = "127.0.0.1:8181", query
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if s.text != "" && (len(s.log.records) != 2 || token == viewerToken) {
				t.Errorf("%s: applied by %s with %d records: %d %s", query, token, len(s.log.records), w.Code, w.Body)
			}
		}
	}
}

// TestUnauditedIsUndone: without a log nothing is changed, and reading goes on.
func TestUnauditedIsUndone(t *testing.T) {
	s := newSmall(t, nil)
	s.log.broken = errors.New("no space left on device")
	for _, c := range [][3]string{{"POST", "/v1/config", "discovery: {lldp_period: 1s}\n"},
		{"POST", "/v1/drain", `{"kind":"switch","object":"1"}`}, {"DELETE", "/v1/drain?kind=switch&object=1", ""}} {
		w := s.write(c[0], c[1], adminToken, c[2])
		if w.Code != 503 || !strings.Contains(w.Body.String(), "no space left on device") {
			t.Errorf("%s %s: %d %s", c[0], c[1], w.Code, w.Body)
		}
	}
	if s.text != "" || len(s.drained) != 0 {
		t.Errorf("changed: %q %v", s.text, s.drained)
	}
	if w := s.write("POST", "/v1/config?dry_run=true", operatorToken, "discovery: {lldp_period: 1s}\n"); w.Code != 200 {
		t.Errorf("a dry run: %d %s", w.Code, w.Body)
	}
	if w := s.get("/v1/drain"); w.Code != 200 {
		t.Errorf("reading: %d", w.Code)
	}
	if w := s.write("GET", "/v1/audit", adminToken, ""); w.Code != 503 {
		t.Errorf("reading the log: %d", w.Code)
	}
}

// TestUnkeptIsRefused: what cannot be written down is 503, and the log says that it failed.
func TestUnkeptIsRefused(t *testing.T) {
	s := newSmall(t, nil)
	s.broken = errors.New("disk quota exceeded")
	for _, c := range [][2]string{{"/v1/config", "discovery: {lldp_period: 1s}\n"},
		{"/v1/drain", `{"kind":"switch","object":"1"}`}} {
		w := s.write("POST", c[0], adminToken, c[1])
		if w.Code != 503 || !strings.Contains(w.Body.String(), "disk quota exceeded") {
			t.Errorf("%s: %d %s", c[0], w.Code, w.Body)
		}
		if log := s.audits(); !strings.Contains(log, " failed 503 ") {
			t.Errorf("the log: %s", log)
		}
	}
}

// TestLongBodies: a configuration may be longer than other bodies, and has an end.
func TestLongBodies(t *testing.T) {
	s := newSmall(t, nil)
	long := "# " + strings.Repeat("x", 2<<20) + "\n"
	if w := s.write("POST", "/v1/config", adminToken, long); w.Code != 200 {
		t.Errorf("2 MiB: %d %.200s", w.Code, w.Body)
	}
	if w := s.write("POST", "/v1/config", adminToken, strings.Repeat(long, 5)); w.Code != 413 && w.Code != 422 {
		t.Errorf("10 MiB: %d %.200s", w.Code, w.Body)
	}
	if w := s.write("POST", "/v1/drain", adminToken, "{\"kind\":\""+long+"\"}"); w.Code != 413 && w.Code != 422 {
		t.Errorf("a drain of 2 MiB: %d %.200s", w.Code, w.Body)
	}
}

// TestRefusedFlood: requests without a token do not fill the log, and what was left out is said and counted.
func TestRefusedFlood(t *testing.T) {
	s := newSmall(t, nil)
	for range 500 {
		s.write("POST", "/v1/config", "wrong", "")
	}
	const noted = 20 // refused requests a minute
	if n := len(s.log.records); n != noted {
		t.Errorf("%d records, want %d", n, noted)
	}
	s.audits()
	s.now = s.now.Add(rest.RefusalsEvery)
	s.write("POST", "/v1/config", "wrong", "")
	if n := len(s.log.records); n != 1 ||
		!strings.Contains(s.log.records[0].Detail, fmt.Sprintf("and %d refused requests", 500-noted)) {
		t.Errorf("%d records: %+v", n, s.log.records)
	}
	if text := s.get("/metrics").Body.String(); !strings.Contains(text,
		fmt.Sprintf("weir_api_refused_unlisted_total %d\n", 500-noted)) {
		t.Error("/metrics does not count what is not listed")
	}
}

// TestAlarms: the active ones first and the most urgent of them first; those that have ended where
// they are asked for.
func TestAlarms(t *testing.T) {
	s := newSmall(t, nil)
	alarm := func(kind netview.AlarmKind, object string, after time.Duration, active bool) *netview.Alarm {
		at := noon.Add(after)
		return &netview.Alarm{AlarmKey: netview.AlarmKey{Kind: kind, Object: object}, Severity: kind.Severity(),
			Text: "text of " + object, Since: at, Last: at, Count: 3, Active: active, Cleared: at}
	}
	s.view.Alarms().Set([]*netview.Alarm{
		alarm(netview.AlarmDrift, "w1", 0, true), alarm(netview.AlarmHostHijack, "c1", 0, true),
		alarm(netview.AlarmHostHijack, "c2", time.Second, true),
		alarm(netview.AlarmConfig, "m1", 0, true), alarm(netview.AlarmSpoofedID, "gone", time.Hour, false),
	}, nil)
	for path, want := range map[string]string{"/v1/alarms": "c2 c1 m1 w1", "/v1/alarms?all=true": "c2 c1 m1 w1 gone"} {
		var p client.Page[client.Alarm]
		w := s.get(path)
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
		var got []string
		for _, a := range p.Items {
			got = append(got, a.Object)
			if (a.Cleared == nil) != a.Active {
				t.Errorf("%+v", a)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", path, got, want)
		}
	}
}

// TestAmbiguous: a name that is a datapath id of another switch, two switches or ports of one name,
// two hosts of one address.
func TestAmbiguous(t *testing.T) {
	s := newSmall(t, nil)
	s.facts.Update(func(tx *netview.FactsTx) {
		for d, name := range map[netview.DPID]string{3: "2", 4: "twin", 5: "twin"} {
			sw := testSwitch(d)
			sw.Name = name
			sw.Ports[0].Name, sw.Ports[1].Name = "eth", "eth"
			tx.PutSwitch(sw)
		}
		h := testHost(1, 0)
		h.MAC[0] = 2
		tx.PutHost(h)
	})
	for _, path := range []string{"/v1/paths?src=2&dst=1", "/v1/paths?src=twin&dst=1", "/v1/paths?src=10.0.0.1&dst=1"} {
		if w := s.get(path); w.Code != http.StatusConflict {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := s.get("/v1/paths?src=0000000000000002&dst=s1"); w.Code != 200 {
		t.Errorf("all digits: %d %s", w.Code, w.Body)
	}
	if w := s.write("POST", "/v1/drain", adminToken, `{"kind":"port","object":"4/eth"}`); w.Code != http.StatusConflict {
		t.Errorf("two ports of one name: %d %s", w.Code, w.Body)
	}
}

// FuzzDrain gives the handlers of drains any kind, object and body.
func FuzzDrain(f *testing.F) {
	for _, o := range []string{"s1", "s1/eth1", "1/2->2/2", "->", "/", "<->", "1/->/2", "s1/\x00", strings.Repeat("/", 500)} {
		f.Add("switch", o)
		f.Add("port", o)
		f.Add("link", o)
	}
	s := newSmall(f, nil)
	f.Fuzz(func(t *testing.T, kind, object string) {
		body, _ := json.Marshal(map[string]string{"kind": kind, "object": object})
		if w := s.write("POST", "/v1/drain", operatorToken, string(body)); w.Code >= 500 {
			t.Fatalf("%s: %d %s", body, w.Code, w.Body)
		}
		if w := s.write("POST", "/v1/drain", operatorToken, "{"+object); w.Code >= 500 {
			t.Fatalf("%q: %d %s", object, w.Code, w.Body)
		}
		s.audits()
		s.drained = nil
	})
}

// TestDrainOfAnAbsentSwitch: a drain says that its switch is not connected.
func TestDrainOfAnAbsentSwitch(t *testing.T) {
	snap := netview.New(netview.Limits{}).Snapshot()
	for _, d := range []client.Drain{{Kind: "switch", Object: "0000000000000007"}, {Kind: "port", Object: "0000000000000007/1"},
		{Kind: "link", Object: "0000000000000007/1<->0000000000000007/2"}} {
		if got := withName(snap, d).Note; !strings.HasPrefix(got, "switch 0000000000000007 is not connected: ") {
			t.Errorf("%s %s: %q", d.Kind, d.Object, got)
		}
	}
}
