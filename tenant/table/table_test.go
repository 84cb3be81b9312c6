package table

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/store"
	"github.com/weirnet/weir/tenant"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// harness is a table on a store in memory, with what it has told.
type harness struct {
	*Table
	t        *testing.T
	st       *store.Memory
	problems map[string]string
	told     []string // what was in force, one line a change
}

func newHarness(t *testing.T, st *store.Memory) *harness {
	h := &harness{t: t, st: st, problems: make(map[string]string)}
	h.Table = New(Config{Store: st, Answer: 50 * time.Millisecond, Now: func() time.Time { return noon },
		Unreadable: func(name, why string) {
			if h.problems[name] = why; why == "" {
				delete(h.problems, name)
			}
		}})
	h.OnChange(func(all *tenant.Tenants) { h.told = append(h.told, line(all)) })
	h.load()
	return h
}

func (h *harness) load() {
	h.t.Helper()
	if err := h.Load(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// line is tenants by name and number.
func line(all *tenant.Tenants) string {
	var list []string
	for _, d := range all.All() {
		list = append(list, fmt.Sprint(d.Name, d.Number))
	}
	return strings.Join(list, " ")
}

// shape is a definition with one region: its VLAN.
func shape(name string, vlan int) client.TenantDefinition {
	return client.TenantDefinition{Name: name, Ports: []string{"*"}, Controllers: []string{"tcp:127.0.0.1:6653"},
		Space: []client.TenantRegion{{Priority: 10, Match: client.Selector{"vlan_vid": fmt.Sprint(vlan)}}}}
}

func (h *harness) put(q client.TenantDefinition, o client.TenantOptions) *client.TenantChange {
	h.t.Helper()
	c, err := h.Put(q, o, rest.Actor{Name: "anna"})
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

func (h *harness) delete(name string) *client.TenantChange {
	h.t.Helper()
	c, err := h.Delete(name, client.TenantOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// want compares what is in force here, in the store, and what was told last.
func (h *harness) want(inForce string) {
	h.t.Helper()
	told := ""
	if len(h.told) > 0 {
		told = h.told[len(h.told)-1]
	}
	if got := line(h.Snapshot()); got != inForce || told != inForce {
		h.t.Errorf("%q in force, %q told, want %q", got, told, inForce)
	}
	other := New(Config{Store: h.st})
	if err := other.Load(h.t.Context()); err != nil || !reflect.DeepEqual(other.List(), h.List()) {
		h.t.Errorf("another table has %+v, want %+v: %v", other.List(), h.List(), err)
	}
}

// raw writes a pair of the store as it is, beside the table.
func (h *harness) raw(key string, value []byte) {
	h.t.Helper()
	if _, err := h.st.Txn(h.t.Context(), store.Txn{Then: []store.Op{store.Put([]byte(key), value)}}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) value(key string) []byte {
	page, err := h.st.Range(h.t.Context(), store.Query{Span: store.Key(key)})
	if err != nil || len(page.Pairs) != 1 {
		h.t.Fatalf("%v, %d pairs", err, len(page.Pairs))
	}
	return page.Pairs[0].Value
}

func status(err error) int {
	var no *rest.Refusal
	if !errors.As(err, &no) {
		return 0
	}
	return no.Status
}

// TestChanges: what is put is in force, told, and there after a restart.
func TestChanges(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	h.want("")
	blue := h.put(shape("blue", 100), client.TenantOptions{New: true})
	h.want("blue1")
	wantChanges(t, blue, "number 1", "ports *", "space 10:vlan_vid=100", "controllers tcp:127.0.0.1:6653")
	if blue.Tenant.By != "anna" || !blue.Tenant.Created.Equal(noon) || blue.Tenant.Number != 1 || blue.Tenant.ETag == "" {
		t.Errorf("%+v", blue.Tenant)
	}
	h.put(shape("red", 101), client.TenantOptions{})
	same := h.put(shape("blue", 100), client.TenantOptions{})
	wantChanges(t, same)
	if !reflect.DeepEqual(same.Tenant, blue.Tenant) {
		t.Errorf("%+v, want %+v", same.Tenant, blue.Tenant)
	}
	next := shape("blue", 200)
	next.Ports = []string{"2/*", "1/7", "0x1/7"}
	wantChanges(t, h.put(next, client.TenantOptions{IfMatch: blue.Tenant.ETag}), "-ports *", "ports 0000000000000001/7",
		"ports 0000000000000002/*", "-space 10:vlan_vid=100", "space 10:vlan_vid=200")
	h.want("blue1 red2")
	wantChanges(t, h.delete("red"), "-number 2", "-ports *", "-space 10:vlan_vid=101", "-controllers tcp:127.0.0.1:6653")
	h.want("blue1")
	if want := []string{"", "blue1", "blue1 red2", "blue1 red2", "blue1"}; !slices.Equal(h.told, want) {
		t.Errorf("told %q, want %q", h.told, want)
	}
	again := newHarness(t, h.st)
	again.load()
	if again.want("blue1"); len(again.told) != 1 {
		t.Errorf("after a restart %q is told", again.told)
	}
	if a, b := h.Get("blue"), again.Get("blue"); !reflect.DeepEqual(a, b) || a == nil || h.Get("red") != nil {
		t.Errorf("%+v after a restart, want %+v", b, a)
	}
}

func wantChanges(t *testing.T, c *client.TenantChange, want ...string) {
	t.Helper()
	var got []string
	for _, f := range c.Changes {
		if f.Old != "" {
			got = append(got, "-"+f.Path+" "+f.Old)
		}
		if f.New != "" {
			got = append(got, f.Path+" "+f.New)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
}

// TestRangesAreKept: a range is shown as it was written, before a restart and after, and in force are its regions.
func TestRangesAreKept(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	q := shape("blue", 100)
	q.Space = []client.TenantRegion{{Priority: 10, Match: client.Selector{"vlan_vid": "100-199"}},
		{Priority: 10, Match: client.Selector{"vlan_vid": "7"}}, {Priority: 20, Match: client.Selector{"tcp_dst": "0x50-90"}}}
	made := h.put(q, client.TenantOptions{})
	tcp := "20:eth_type=0x0800,ip_proto=6,tcp_dst=80-90"
	wantChanges(t, made, "number 1", "ports *", "space "+tcp, "space 10:vlan_vid=100-199", "space 10:vlan_vid=7",
		"controllers tcp:127.0.0.1:6653")
	wantChanges(t, h.put(made.Tenant.TenantDefinition, client.TenantOptions{IfMatch: made.Tenant.ETag}))
	h.want("blue1")
	if d := newHarness(t, h.st).Snapshot().Get("blue"); d == nil || len(d.Space) != 11+5+1 {
		t.Errorf("after a restart %+v is in force, want the 17 regions", d)
	}
	q.Space = q.Space[:2]
	wantChanges(t, h.put(q, client.TenantOptions{}), "-space "+tcp)
	red := shape("red", 150)
	_, err := h.Put(red, client.TenantOptions{}, rest.Actor{})
	if err == nil || !strings.Contains(err.Error(), "of tenant blue") {
		t.Errorf("a value of the range is taken for another: %v", err)
	}
	h.put(shape("red", 200), client.TenantOptions{})
}

// TestReadOnlyIsKept: read-only regions are shown as they were written, also with ranges, before a restart and after.
func TestReadOnlyIsKept(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	h.put(shape("red", 100), client.TenantOptions{})
	spy := shape("spy", 0)
	spy.Space = []client.TenantRegion{{ReadOnly: true, Match: client.Selector{"vlan_vid": "100"}}}
	made := h.put(spy, client.TenantOptions{})
	wantChanges(t, made, "number 2", "ports *", "space read-only:vlan_vid=100", "controllers tcp:127.0.0.1:6653")
	wantChanges(t, h.put(made.Tenant.TenantDefinition, client.TenantOptions{IfMatch: made.Tenant.ETag}))
	h.want("red1 spy2")
	spy.Space = append(spy.Space, client.TenantRegion{ReadOnly: true, Match: client.Selector{"vlan_vid": "200-203"}},
		client.TenantRegion{Priority: 7, Match: client.Selector{"vlan_vid": "300-301"}})
	wantChanges(t, h.put(spy, client.TenantOptions{}), "space 7:vlan_vid=300-301", "space read-only:vlan_vid=200-203")
	h.want("red1 spy2")
	d := newHarness(t, h.st).Snapshot().Get("spy")
	if d == nil || len(d.Space) != 1 || len(d.Watched) != 2 || d.Whole() {
		t.Errorf("after a restart %+v is in force", d)
	}
	spy.Space[0].Priority = 9
	if _, err := h.Put(spy, client.TenantOptions{}, rest.Actor{}); err == nil || !strings.Contains(err.Error(), "want none") {
		t.Errorf("with a priority: %v", err)
	}
	before := `{"name":"old","number":3,"ports":["0000000000000001/1"],"space":[{"priority":4,"match":{"vlan_vid":"9"}}],"id":"` +
		strings.Repeat("0a", idBytes) + `","created":"2026-11-20T12:00:00Z","by":"anna"}`
	r, err := decodeRecord("old", headed(recordHead, []byte(before)))
	if err != nil || len(r.def.Space) != 1 || len(r.def.Watched) != 0 {
		t.Fatalf("a record of before is read as %+v: %v", r, err)
	}
	if again, err := r.encode(); err != nil || string(again) != string(headed(recordHead, []byte(before))) {
		t.Errorf("a record of before is written as %s: %v", again, err)
	}
}

// TestSnapshotStays: what was handed out does not change with the table.
func TestSnapshotStays(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	h.put(shape("blue", 100), client.TenantOptions{})
	at := h.Snapshot()
	h.put(shape("red", 101), client.TenantOptions{})
	h.put(shape("blue", 102), client.TenantOptions{})
	h.delete("blue")
	if line(at) != "blue1" || !strings.Contains(at.Get("blue").Space[0].String(), "100") {
		t.Errorf("it is %s now", line(at))
	}
}

// TestRefusals: what is refused changes nothing, and says why.
func TestRefusals(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	h.put(shape("blue", 100), client.TenantOptions{})
	h.want("blue1")
	before := h.Revision()
	edit := func(f func(*client.TenantDefinition)) client.TenantDefinition {
		q := shape("red", 101)
		f(&q)
		return q
	}
	for _, c := range []struct {
		q            client.TenantDefinition
		o            client.TenantOptions
		status       int
		field, given string // of a *tenant.Error
	}{
		{q: shape("Red", 1), field: "name", given: `"Red"`},
		{q: edit(func(q *client.TenantDefinition) { q.Number = 1 }), field: "number", given: "1"},
		{q: edit(func(q *client.TenantDefinition) { q.Number = 1024 }), field: "number", given: "1024"},
		{q: edit(func(q *client.TenantDefinition) { q.Ports = nil }), field: "ports", given: "none"},
		{q: edit(func(q *client.TenantDefinition) { q.Ports = []string{"*", "s1/2"} }), field: "ports[1]", given: `"s1/2"`},
		{q: edit(func(q *client.TenantDefinition) { q.Ports = []string{"1/0"} }), field: "ports[0]", given: `"1/0"`},
		{q: edit(func(q *client.TenantDefinition) { q.Ports = []string{"1"} }), field: "ports[0]", given: `"1"`},
		{q: edit(func(q *client.TenantDefinition) { q.Controllers = []string{"127.0.0.1:6653"} }), field: "controllers[0]",
			given: `"127.0.0.1:6653"`},
		{q: edit(func(q *client.TenantDefinition) { q.Controllers = []string{"tcp:127.0.0.1"} }), field: "controllers[0]",
			given: `"127.0.0.1"`},
		{q: edit(func(q *client.TenantDefinition) { q.Space[0].Match = client.Selector{"vlan": "1"} }), field: "space[0].match",
			given: `"vlan"`},
		{q: edit(func(q *client.TenantDefinition) { q.Space[0].Match = client.Selector{"ipv4_dst": "10.0.0.0/33"} }),
			field: "space[0].match.ipv4_dst", given: `"10.0.0.0/33"`},
		{q: edit(func(q *client.TenantDefinition) { q.Space[0].Match = client.Selector{"vlan_vid": "9-5"} }),
			field: "space[0].match.vlan_vid", given: `"9-5"`},
		{q: edit(func(q *client.TenantDefinition) { q.Space[0].Match = client.Selector{"tcp_dst": "0-1000"} }),
			field: "space[0].match", given: "tcp_dst=0-1000"},
		{q: edit(func(q *client.TenantDefinition) { q.Space[0].Match = client.Selector{"in_port": "1"} }),
			field: "space[0].match", given: "in_port"},
		{q: edit(func(q *client.TenantDefinition) { q.Space[0].Priority = 1001 }), field: "space[0].priority", given: "1001"},
		{q: edit(func(q *client.TenantDefinition) { q.Space = nil }), field: "ports", given: "*"},
		{q: shape("red", 100), field: "space", given: "{vlan_vid=100} of priority 10"},
		{q: shape("blue", 1), o: client.TenantOptions{New: true}, status: http.StatusPreconditionFailed},
		{q: shape("blue", 1), o: client.TenantOptions{IfMatch: "0123"}, status: http.StatusPreconditionFailed},
		{q: shape("red", 1), o: client.TenantOptions{IfMatch: "*"}, status: http.StatusPreconditionFailed},
		{q: func() client.TenantDefinition { q := shape("blue", 1); q.Number = 2; return q }(), field: "number", given: "2"},
	} {
		for _, c.o.DryRun = range []bool{true, false} {
			_, err := h.Put(c.q, c.o, rest.Actor{})
			var wrong *tenant.Error
			if errors.As(err, &wrong); c.status != status(err) || c.field != "" && (wrong == nil || wrong.Field != c.field ||
				wrong.Given != c.given || wrong.Want == "") {
				t.Errorf("%+v %+v: %#v", c.q, c.o, err)
			}
		}
	}
	for _, name := range []string{"red", "", "a/b"} {
		if _, err := h.Delete(name, client.TenantOptions{}); status(err) != http.StatusNotFound {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := h.Delete("blue", client.TenantOptions{IfMatch: "x"}); status(err) != http.StatusPreconditionFailed {
		t.Error(err)
	}
	if h.want("blue1"); h.Revision() != before || len(h.told) != 2 {
		t.Error("something was changed")
	}
}

// TestDryRun says what would change, and changes nothing.
func TestDryRun(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	dry := client.TenantOptions{DryRun: true}
	c := h.put(shape("blue", 100), dry)
	wantChanges(t, c, "number 1", "ports *", "space 10:vlan_vid=100", "controllers tcp:127.0.0.1:6653")
	if h.want(""); !c.DryRun || c.Tenant.Number != 1 {
		t.Errorf("%+v", c)
	}
	h.put(shape("blue", 100), client.TenantOptions{})
	wantChanges(t, h.put(shape("blue", 101), dry), "-space 10:vlan_vid=100", "space 10:vlan_vid=101")
	c, err := h.Delete("blue", dry)
	if h.want("blue1"); err != nil || !c.DryRun || len(c.Changes) != 4 || c.Tenant != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestNumbers: each number has been of no other tenant, as long as there are such; then the one that is free for longest.
func TestNumbers(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	given := shape("given", 1)
	given.Number = 2
	h.put(given, client.TenantOptions{})
	h.put(shape("a", 2), client.TenantOptions{})
	h.put(shape("b", 3), client.TenantOptions{})
	h.delete("b")
	h.delete("a")
	h = newHarness(t, h.st)
	h.put(shape("c", 4), client.TenantOptions{})
	h.want("c4 given2")
	again := shape("d", 5)
	again.Number = 3 // of b, which is gone: somebody knows what he does
	h.put(again, client.TenantOptions{})
	h.want("c4 d3 given2")
	n := h.current.Load().numbers.clone()
	for i := 1; i <= 1023-3-1; i++ {
		if _, err := n.assign(fmt.Sprint("t", i), 0); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := n.assign("last", 0); err != nil || got != 1 {
		t.Errorf("%d is assigned, want that of a: %v", got, err)
	}
	if _, err := n.assign("more", 0); err == nil {
		t.Error("there are more tenants than numbers")
	}
	n.free("c")
	n.free("given")
	if got, err := n.assign("more", 0); err != nil || got != 4 {
		t.Errorf("%d is assigned, want 4, which is free for longer: %v", got, err)
	}
}

// TestUnreadableRecords: one is not in force, is listed with an alarm, keeps its number, and can be deleted.
func TestUnreadableRecords(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	h.put(shape("blue", 100), client.TenantOptions{})
	h.put(shape("red", 101), client.TenantOptions{})
	good := h.value(prefix + "blue")
	damaged := slices.Clone(good)
	damaged[len(damaged)-5] ^= 1
	newer := headed(recordHead, []byte(`{"name":"newer","limit":7}`))
	h.raw(prefix+"blue", damaged)
	h.raw(prefix+"other", good)
	h.raw(prefix+"newer", newer)
	h.raw(prefix+"empty", nil)
	for range 2 {
		h.load()
		h.want("red2")
		for name, why := range map[string]string{"blue": "checksum", "other": `it is that of tenant "blue"`,
			"newer": `unknown field "limit"`, "empty": "does not begin with"} {
			if !strings.Contains(h.problems[name], why) || h.Get(name).Problem != h.problems[name] {
				t.Errorf("%s: %q", name, h.problems[name])
			}
		}
		if len(h.problems) != 4 || len(h.List()) != 5 || h.Get("blue").Number != 1 {
			t.Errorf("%q, %+v", h.problems, h.List())
		}
	}
	if _, known := h.Identity("blue"); known {
		t.Error("it has an id")
	}
	if _, err := h.Put(shape("blue", 100), client.TenantOptions{}, rest.Actor{}); status(err) != http.StatusConflict {
		t.Errorf("in its place: %v", err)
	}
	h.put(shape("green", 102), client.TenantOptions{})
	h.want("green3 red2")
	for _, name := range []string{"blue", "empty", "newer", "other"} {
		h.delete(name)
	}
	h.put(shape("blue", 100), client.TenantOptions{})
	if h.want("blue4 green3 red2"); len(h.problems) > 0 {
		t.Errorf("%q", h.problems)
	}
}

// TestContradictionInTheStore: of two that contradict each other the lower number is in force, and the other when that is gone.
func TestContradictionInTheStore(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	h.put(shape("blue", 100), client.TenantOptions{})
	h.put(shape("red", 101), client.TenantOptions{})
	r, err := decodeRecord("red", h.value(prefix+"red"))
	if err != nil {
		t.Fatal(err)
	}
	r.Space[0].Match["vlan_vid"] = "100"
	value, err := r.encode()
	if err != nil {
		t.Fatal(err)
	}
	h.raw(prefix+"red", value)
	h.load()
	h.want("blue1")
	if !strings.Contains(h.problems["red"], "contradicts another tenant: space:") {
		t.Errorf("%q", h.problems)
	}
	h.put(shape("green", 102), client.TenantOptions{})
	h.want("blue1 green3")
	h.delete("blue")
	if h.want("green3 red2"); len(h.problems) > 0 {
		t.Errorf("%q", h.problems)
	}
}

// TestNumbersLost: a damaged record of the numbers is made anew; one of a newer version is left as it is.
func TestNumbersLost(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	h.put(shape("blue", 100), client.TenantOptions{})
	h.raw(numbersKey, []byte("weir-tenants 2 x"))
	h.load()
	h.want("blue1")
	if _, err := h.Put(shape("red", 101), client.TenantOptions{}, rest.Actor{}); status(err) != http.StatusConflict ||
		!strings.Contains(h.problems[""], "newer version") {
		t.Errorf("%v, %q", err, h.problems)
	}
	h.raw(numbersKey, []byte(numbersHead+"00\n{}"))
	h.load()
	if !strings.Contains(h.problems[""], "checksum") {
		t.Errorf("%q", h.problems)
	}
	h.put(shape("red", 101), client.TenantOptions{})
	if h.want("blue1 red2"); len(h.problems) > 0 {
		t.Errorf("%q", h.problems)
	}
}

// TestTwoTables: changes at two instances at once never contradict each other, though neither has heard of the other's.
func TestTwoTables(t *testing.T) {
	a := newHarness(t, store.NewMemory(nil))
	b := newHarness(t, a.st)
	a.put(shape("blue", 100), client.TenantOptions{})
	_, err := b.Put(shape("red", 100), client.TenantOptions{}, rest.Actor{})
	if wrong := new(tenant.Error); !errors.As(err, &wrong) || wrong.Field != "space" {
		t.Errorf("%v", err)
	}
	b.want("blue1")
	b.put(shape("red", 101), client.TenantOptions{})
	b.want("blue1 red2")
	a.put(shape("green", 102), client.TenantOptions{})
	a.want("blue1 green3 red2")
}

// TestUnknownOutcomes: whatever becomes of a change, the table and the store agree in the end.
func TestUnknownOutcomes(t *testing.T) {
	for _, f := range []store.Fault{store.UnknownDone, store.UnknownLost, store.UnknownLate} {
		for _, always := range []bool{false, true} {
			h := newHarness(t, store.NewMemory(nil))
			h.put(shape("first", 1), client.TenantOptions{})
			n := 0
			inject := func() {
				n = 0
				h.st.Inject(func(c store.Call) store.Fault {
					if n++; c.Name == "Txn" && (n == 1 || always) {
						return f
					}
					return store.None
				})
			}
			inject()
			made, errPut := h.Put(shape("blue", 100), client.TenantOptions{New: true}, rest.Actor{})
			inject()
			_, errDelete := h.Delete("first", client.TenantOptions{})
			h.st.Inject(nil)
			h.st.Settle()
			if !always && (errPut != nil || errDelete != nil || len(made.Changes) != 4) {
				t.Errorf("fault %d once: %v, %v", f, errPut, errDelete)
			}
			if always && f != store.UnknownDone && (status(errPut) != 503 || status(errDelete) != 503) {
				t.Errorf("fault %d always: %v, %v", f, errPut, errDelete)
			}
			h.load()
			h.want(line(h.Snapshot()))
			if all := h.Snapshot(); !always && line(all) != "blue2" {
				t.Errorf("fault %d once: %s", f, line(all))
			}
		}
	}
}

// TestStoreRefuses: the error is the store's, and nothing has changed.
func TestStoreRefuses(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	h.put(shape("blue", 100), client.TenantOptions{})
	h.st.Inject(func(store.Call) store.Fault { return store.Full })
	if _, err := h.Put(shape("red", 101), client.TenantOptions{}, rest.Actor{}); !errors.Is(err, store.ErrFull) {
		t.Error(err)
	}
	h.st.Inject(nil)
	h.want("blue1")
}

// TestTooLong: a definition that no transaction takes is refused.
func TestTooLong(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	q := shape("blue", 1)
	q.Ports = nil
	for i := range 60_000 {
		q.Ports = append(q.Ports, fmt.Sprint("1/", i+1))
	}
	_, err := h.Put(q, client.TenantOptions{}, rest.Actor{})
	if wrong := new(tenant.Error); !errors.As(err, &wrong) || wrong.Field != "definition" {
		t.Errorf("%v", err)
	}
	h.want("")
}

// TestRun: a table follows what others do in the store, and tells each change once, in order.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory(nil)
		here, there := New(Config{Store: st}), New(Config{Store: st})
		var told []string
		there.OnChange(func(all *tenant.Tenants) { told = append(told, line(all)) })
		ctx, cancel := context.WithCancel(t.Context())
		for _, at := range []*Table{here, there} {
			if err := at.Load(ctx); err != nil {
				t.Fatal(err)
			}
			go at.Run(ctx)
		}
		synctest.Wait()
		for i, at := range []*Table{here, here, there, here} {
			if _, err := at.Put(shape(fmt.Sprint("t", i), i+1), client.TenantOptions{}, rest.Actor{}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if _, err := here.Delete("t1", client.TenantOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		want := []string{"", "t01", "t01 t12", "t01 t12 t23", "t01 t12 t23 t34", "t01 t23 t34"}
		if !slices.Equal(told, want) || line(here.Snapshot()) != want[5] {
			t.Errorf("told %q, want %q", told, want)
		}
		if a, b := here.Revision(), there.Revision(); a != b {
			t.Errorf("revisions %d and %d", a, b)
		}
		cancel()
		synctest.Wait()
	})
}

// TestLateNews: what the store tells late does not bring back what is older than what is there.
func TestLateNews(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	w, err := h.st.Watch(t.Context(), span, 0)
	if err != nil {
		t.Fatal(err)
	}
	h.put(shape("blue", 100), client.TenantOptions{})
	late, err := w.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.put(shape("blue", 101), client.TenantOptions{})
	told := len(h.told)
	h.advance(func(was *state) *state { return was.hear(late) })
	if got := h.Get("blue").Space[0].String(); got != "10:vlan_vid=101" || len(h.told) != told {
		t.Errorf("it is %s, and %q is told", got, h.told[told:])
	}
	h.delete("blue")
	h.advance(func(was *state) *state { return was.hear(late) })
	h.want("")
}

// TestTellsInOrder: changes of this table and of another at once are told one by one, the last one last.
func TestTellsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory(nil)
		at, other := New(Config{Store: st}), New(Config{Store: st})
		ctx, cancel := context.WithCancel(t.Context())
		var told []int
		busy := false
		at.OnChange(func(all *tenant.Tenants) {
			if busy {
				t.Error("two calls at once")
			}
			busy = true
			time.Sleep(100 * time.Millisecond)
			told = append(told, len(all.All()))
			busy = false
		})
		if err := at.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		go at.Run(ctx)
		for i := range 8 {
			by := at
			if i%2 == 1 {
				by = other
			}
			all.Go(func() {
				if _, err := by.Put(shape(fmt.Sprint("t", i), i+1), client.TenantOptions{}, rest.Actor{}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		time.Sleep(2 * time.Second)
		cancel()
		synctest.Wait()
		if !slices.IsSorted(told) || told[0] != 0 || told[len(told)-1] != 8 || len(slices.Compact(told)) < 5 {
			t.Errorf("told %d", told)
		}
	})
}
