package tokens

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/rest"
	"github.com/weirnet/weir/store"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// harness is a table on a store in memory, with a clock that stands.
type harness struct {
	*Table
	t          *testing.T
	st         *store.Memory
	now        time.Time
	unreadable map[string]string
}

func newHarness(t *testing.T, st *store.Memory) *harness {
	h := &harness{t: t, st: st, now: noon, unreadable: make(map[string]string)}
	h.Table = New(Config{Store: st, Answer: 50 * time.Millisecond, Now: func() time.Time { return h.now },
		Files: []rest.Token{{Role: rest.RoleAdmin, File: "token"}},
		Unreadable: func(name, why string) {
			if h.unreadable[name] = why; why == "" {
				delete(h.unreadable, name)
			}
		}})
	h.load(t.Context())
	return h
}

func (h *harness) load(ctx context.Context) {
	h.t.Helper()
	if err := h.Load(ctx); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) add(name, role string, valid time.Duration) string {
	h.t.Helper()
	q := client.TokenRequest{Name: name, Role: role}
	if valid > 0 {
		at := h.now.Add(valid)
		q.Expires = &at
	}
	made, err := h.Add(q, rest.Actor{Name: "admin"})
	if err != nil {
		h.t.Fatal(err)
	}
	return made.Value
}

// role is what a token allows now.
func (h *harness) role(secret string) rest.Role {
	g := h.Use(sha256.Sum256([]byte(secret)))
	if g == nil || g.Ended() != nil {
		return rest.RoleNone
	}
	return g.Role
}

// states are the tokens of the store, each with its state.
func (h *harness) states() (list []string) {
	for _, k := range h.List() {
		if k.From == "store" {
			list = append(list, k.Name+" "+k.Role+" "+k.State)
		}
	}
	return list
}

func (h *harness) want(list ...string) {
	h.t.Helper()
	if got := h.states(); !slices.Equal(got, list) {
		h.t.Errorf("got %q, want %q", got, list)
	}
}

// put writes a record of a token as it is.
func (h *harness) put(name string, value []byte) {
	if _, err := h.st.Txn(h.t.Context(), store.Txn{Then: []store.Op{store.Put([]byte(prefix+name), value)}}); err != nil {
		h.t.Fatal(err)
	}
}

func status(err error) int {
	var no *rest.Refusal
	if !errors.As(err, &no) {
		return 0
	}
	return no.Status
}

// TestRestart: another table on the store has the same tokens, and none of their values.
func TestRestart(t *testing.T) {
	st := store.NewMemory(nil)
	h := newHarness(t, st)
	ci, short, gone := h.add("ci", "operator", 0), h.add("short", "viewer", time.Hour), h.add("gone", "admin", 0)
	if err := h.Remove("gone"); err != nil {
		t.Fatal(err)
	}
	next := newHarness(t, st)
	next.want("ci operator valid", "short viewer valid")
	if next.role(ci) != rest.RoleOperator || next.role(short) != rest.RoleViewer || next.role(gone) != rest.RoleNone {
		t.Error("roles differ after a restart")
	}
	a, b := h.List(), next.List()
	for i := range a {
		a[i].Used = nil
	}
	for i := range b {
		b[i].Used = nil
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("got %+v, want %+v", b, a)
	}
	page, err := st.Range(t.Context(), store.Query{Span: store.Prefix("")})
	if err != nil || len(page.Pairs) != 2 {
		t.Fatalf("%v, %d pairs", err, len(page.Pairs))
	}
	for _, p := range page.Pairs {
		for _, secret := range []string{ci, short, gone} {
			if strings.Contains(string(p.Value), strings.TrimPrefix(secret, rest.IssuedPrefix)) {
				t.Errorf("the store has a token: %s", p.Value)
			}
		}
	}
	if len(ci) != len(rest.IssuedPrefix)+43 || !strings.HasPrefix(ci, rest.IssuedPrefix) || ci == gone {
		t.Errorf("token %q", ci)
	}
}

// TestExpiry: from its time on a token is not taken, and those who use it are told.
func TestExpiry(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	short, long := h.add("short", "viewer", time.Minute), h.add("long", "viewer", time.Hour)
	grant := h.Use(sha256.Sum256([]byte(short)))
	if next := h.Expire(h.now); !next.Equal(noon.Add(time.Minute)) {
		t.Errorf("next at %s", next)
	}
	h.now = noon.Add(time.Minute - time.Nanosecond)
	if h.role(short) != rest.RoleViewer {
		t.Error("over too early")
	}
	h.now = noon.Add(time.Minute)
	if next := h.Expire(h.now); !next.Equal(noon.Add(time.Hour)) {
		t.Errorf("next at %s", next)
	}
	if no := grant.Ended(); no == nil || no.Status != http.StatusUnauthorized ||
		!strings.Contains(no.Detail, `"short" was valid until 2026-11-20T12:01:00Z`) {
		t.Errorf("%v", no)
	}
	if h.role(short) != rest.RoleNone || h.role(long) != rest.RoleViewer {
		t.Error("roles")
	}
	h.now = noon.Add(time.Hour)
	if h.role(long) != rest.RoleNone { // where nobody has called Expire
		t.Error("it is taken after its time")
	}
	h.want("long viewer expired", "short viewer expired")
	if next := h.Expire(h.now); !next.IsZero() {
		t.Errorf("next at %s", next)
	}
	h.now = noon.Add(keepExpired + 2*time.Hour)
	h.add("new", "viewer", 0)
	h.want("new viewer valid")
	newHarness(t, h.st).want("new viewer valid")
}

// TestRun: a table follows what others do in the store, and ends tokens in time by itself.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory(nil)
		here, there := New(Config{Store: st}), New(Config{Store: st})
		ctx, cancel := context.WithCancel(t.Context())
		go here.Run(ctx)
		go there.Run(ctx)
		synctest.Wait()
		soon := time.Now().Add(90 * time.Second)
		made, err := here.Add(client.TokenRequest{Role: "viewer", Expires: &soon}, rest.Actor{Name: "admin"})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := here.Add(client.TokenRequest{Name: "kept", Role: "admin"}, rest.Actor{Name: "admin"})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		use := func(at *Table, k *client.NewToken) *rest.Grant { return at.Use(sha256.Sum256([]byte(k.Value))) }
		a, b, c := use(here, made), use(there, made), use(there, kept)
		if a == nil || b == nil || c == nil || b.Ended() != nil {
			t.Fatal("the other table does not have them")
		}
		time.Sleep(90*time.Second - time.Nanosecond)
		synctest.Wait()
		if a.Ended() != nil || b.Ended() != nil {
			t.Error("ended too early")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if a.Ended() == nil || b.Ended() == nil || c.Ended() != nil {
			t.Error("not ended in time")
		}
		if err := here.Remove("kept"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if c.Ended() == nil || use(there, kept) != nil {
			t.Error("not revoked at the other table")
		}
		cancel()
		synctest.Wait()
	})
}

// TestUnreadableRecords: one is not taken, is listed with an alarm, and can be removed.
func TestUnreadableRecords(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	ci := h.add("ci", "operator", 0)
	page, err := h.st.Range(t.Context(), store.Query{Span: store.Key(prefix + "ci")})
	if err != nil {
		t.Fatal(err)
	}
	good := page.Pairs[0].Value
	damaged := slices.Clone(good)
	damaged[len(damaged)-5] ^= 1
	h.put("ci", damaged)
	h.put("other", good) // that of another name
	h.put("empty", []byte{})
	for range 2 {
		h.load(t.Context())
		h.want("ci - unreadable", "empty - unreadable", "other - unreadable")
		if h.role(ci) != rest.RoleNone {
			t.Error("it is taken")
		}
		if len(h.unreadable) != 3 || !strings.Contains(h.unreadable["ci"], "checksum") ||
			!strings.Contains(h.unreadable["other"], `it is that of token "ci"`) {
			t.Errorf("%q", h.unreadable)
		}
	}
	if _, err := h.Add(client.TokenRequest{Name: "empty", Role: "viewer"}, rest.Actor{}); status(err) != http.StatusConflict {
		t.Errorf("in its place: %v", err)
	}
	for _, name := range []string{"ci", "empty", "other"} {
		if err := h.Remove(name); err != nil {
			t.Error(err)
		}
	}
	h.want()
	if len(h.unreadable) > 0 {
		t.Errorf("%q", h.unreadable)
	}
}

// TestUnknownOutcomes: whatever becomes of a change, the table and the store agree in the end.
func TestUnknownOutcomes(t *testing.T) {
	for _, f := range []store.Fault{store.UnknownDone, store.UnknownLost, store.UnknownLate} {
		for _, always := range []bool{false, true} {
			h := newHarness(t, store.NewMemory(nil))
			first := h.add("first", "viewer", 0)
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
			_, errAdd := h.Add(client.TokenRequest{Name: "ci", Role: "viewer"}, rest.Actor{})
			inject()
			errRemove := h.Remove("first")
			if h.role(first) != rest.RoleNone {
				t.Errorf("fault %d, always %v: the removed one is taken", f, always)
			}
			h.st.Inject(nil)
			h.st.Settle()
			if !always && (errAdd != nil || errRemove != nil) {
				t.Errorf("fault %d once: %v, %v", f, errAdd, errRemove)
			}
			if always && (status(errAdd) != 503 && status(errAdd) != 409 || status(errRemove) != 503) {
				t.Errorf("fault %d always: %v, %v", f, errAdd, errRemove)
			}
			h.load(t.Context())
			if err := h.Remove("first"); always && err != nil && status(err) != http.StatusNotFound {
				t.Errorf("fault %d, always %v: again: %v", f, always, err)
			}
			h.load(t.Context())
			got, want := h.states(), newHarness(t, h.st).states()
			isFirst := func(s string) bool { return strings.HasPrefix(s, "first") }
			if !slices.Equal(got, want) || slices.ContainsFunc(got, isFirst) {
				t.Errorf("fault %d, always %v: %q here, %q after a restart", f, always, got, want)
			}
		}
	}
}

// TestLateNews: what the store tells late does not bring back what was removed, nor take what is newer.
func TestLateNews(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	h.add("ci", "viewer", 0)
	page, err := h.st.Range(t.Context(), store.Query{Span: store.Key(prefix + "ci")})
	if err != nil {
		t.Fatal(err)
	}
	old := change{"ci", page.Pairs[0].Value, page.Pairs[0].Mod}
	if err := h.Remove("ci"); err != nil {
		t.Fatal(err)
	}
	h.apply([]change{old})
	h.want()
	again := h.add("ci", "admin", 0)
	h.apply([]change{old, {name: "ci", mod: old.mod + 1}})
	h.want("ci admin valid")
	if h.role(again) != rest.RoleAdmin {
		t.Error("the new one is not taken")
	}
	h.load(t.Context())
	if len(h.removed) != 0 {
		t.Errorf("%v is kept", h.removed)
	}
}

// TestMost: there is an end to the number of tokens.
func TestMost(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	var all []change
	for i := range maxTokens {
		all = append(all, change{name: "t" + time.Duration(i).String(), value: []byte("x"), mod: 1})
	}
	h.apply(all)
	_, err := h.Add(client.TokenRequest{Name: "ci", Role: "viewer"}, rest.Actor{})
	if status(err) != http.StatusConflict || !strings.Contains(err.Error(), "4096 tokens") {
		t.Error(err)
	}
}

// tenantIDs are tenants by name; the id "?" is not known.
type tenantIDs map[string]string

func (ids tenantIDs) Identity(name string) (string, bool) { return ids[name], ids[name] != "?" }

// TestTenants: a token of a tenant is taken while that tenant is there, and never for another of its name.
func TestTenants(t *testing.T) {
	h := newHarness(t, store.NewMemory(nil))
	ids := tenantIDs{"blue": "b1", "odd": "?"}
	h.cfg.Tenants = ids
	made, err := h.Add(client.TokenRequest{Name: "of-blue", Role: "tenant", Tenant: "blue"}, rest.Actor{})
	if err != nil {
		t.Fatal(err)
	}
	want := func(role rest.Role, state string) {
		t.Helper()
		got := h.role(made.Value)
		if g := h.Use(sha256.Sum256([]byte(made.Value))); got != role || g.Tenant != "blue" && role != rest.RoleNone {
			t.Errorf("role %s of %q, want %s", got, g.Tenant, role)
		}
		h.want("of-blue tenant " + state)
	}
	want(rest.RoleTenant, "valid")
	ids["blue"] = "?"
	want(rest.RoleNone, "revoked")
	h.add("other", "viewer", 0) // does not remove it: its tenant may be there
	if err := h.Remove("other"); err != nil {
		t.Fatal(err)
	}
	ids["blue"] = "b1"
	want(rest.RoleTenant, "valid")
	ids["blue"] = "b2"
	want(rest.RoleNone, "revoked")
	delete(ids, "blue")
	want(rest.RoleNone, "revoked")
	for _, q := range []client.TokenRequest{{Role: "tenant", Tenant: "blue"}, {Role: "tenant", Tenant: "odd"}, {Role: "tenant"},
		{Role: "viewer", Tenant: "odd"}} {
		if _, err := h.Add(q, rest.Actor{}); status(err) == 0 {
			t.Errorf("%+v: %v", q, err)
		}
	}
	h.add("next", "viewer", 0)
	h.want("next viewer valid") // and the other is removed
	if k, err := decode("ci", headed([]byte(`{"name":"ci","role":"tenant","tenant":"blue","sha256":"`+strings.Repeat("0a", 32)+
		`","created":"2026-11-20T12:00:00Z","by":""}`))); err == nil {
		t.Errorf("a record without the tenant's id is read as %+v", k)
	}
}

// FuzzRecord: what is read as a record reads the same when it is written, and is whole.
func FuzzRecord(f *testing.F) {
	at := noon
	for _, r := range []record{{Name: "ci", Role: "viewer", Hash: strings.Repeat("0a", 32), Created: noon, By: "admin"},
		{Name: "ci", Role: "admin", Hash: strings.Repeat("ff", 32), Created: noon, Expires: &at}} {
		value, err := r.encode()
		if err != nil {
			f.Fatal(err)
		}
		_, body, _ := strings.Cut(string(value), "\n")
		f.Add("ci", value, true)
		f.Add("ci", []byte(body), false)
	}
	for _, body := range []string{"", "{}", "null", `{"name":"ci","role":"tenant","tenant":"a"}`, strings.Replace(
		`{"name":"ci","role":"tenant","tenant":"a","tenant_id":"b","sha256":"","created":"2026-11-20T12:00:00Z","by":""}`,
		`"sha256":"`, `"sha256":"`+strings.Repeat("0a", 32), 1), `{"name":"ci"} x`} {
		f.Add("ci", []byte(body), false)
	}
	f.Fuzz(func(t *testing.T, name string, value []byte, whole bool) {
		if !whole { // with the head that fits it
			value = headed(value)
		}
		r, err := decode(name, value)
		if err != nil {
			return
		}
		if r.Name != name || r.role == rest.RoleNone || r.role.String() != r.Role {
			t.Fatalf("%q is read as %+v", value, r)
		}
		again, err := r.encode()
		if err != nil {
			t.Fatal(err)
		}
		if len(again) > maxRecord { // some characters are longer as they are written
			return
		}
		q, err := decode(name, again)
		if err != nil || q.hash != r.hash || q.By != r.By || !q.Created.Equal(r.Created) ||
			q.Tenant != r.Tenant || q.TenantID != r.TenantID || (r.role == rest.RoleTenant) != (r.Tenant != "") ||
			(q.Expires == nil) != (r.Expires == nil) || q.Expires != nil && !q.Expires.Equal(*r.Expires) {
			t.Fatalf("%q: %v, %+v, want %+v", value, err, q, r)
		}
	})
}

// TestPublished: the tokens of an instance's files hold at the others, until their instance is taken out; a new file's token
// replaces the old one's.
func TestPublished(t *testing.T) {
	memory := store.NewMemory(nil)
	files := func(secret string) []rest.Token {
		return []rest.Token{{Role: rest.RoleAdmin, Secret: secret + "-admin", File: "token"},
			{Role: rest.RoleViewer, Secret: secret + "-viewer", File: "token-viewer"}}
	}
	hash := func(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }
	a := New(Config{Store: memory, Files: files("a")})
	b := New(Config{Store: memory, Files: files("b")})
	load := func() {
		t.Helper()
		if err := b.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time there is nothing to be done
		if err := a.Publish(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	load()
	if g := b.Use(hash("a-admin")); g == nil || g.Ended() != nil || len(b.List()) != 4 {
		t.Fatalf("a's token at b: %v; b lists %v", g, b.List())
	}
	newer := New(Config{Store: memory, Files: files("new")})
	if err := newer.Publish(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	load()
	if b.Knows(hash("a-admin")) || b.Use(hash("new-viewer")) == nil {
		t.Error("b takes the old file's token, or not the new one's")
	}
	for range 2 {
		if err := b.Withdraw("a"); err != nil {
			t.Fatal(err)
		}
	}
	if b.Knows(hash("new-admin")) || b.Knows(hash("new-viewer")) || len(b.List()) != 2 {
		t.Errorf("after a was taken out: %v", b.List())
	}
}
