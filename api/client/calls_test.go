package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// call is a method of a Client: what it asks for, what is answered, and what it returns.
type call struct {
	method string
	asks   string // "METHOD URI", and the body if there is one
	answer string // JSON, all of which must be in what is returned; empty: nothing is read
	do     func(ctx context.Context, c *Client) (any, error)
	header http.Header // of the request, besides others
}

const page = `{"items":[],"revision":"e.7"}`

var (
	priority = uint16(7)
	request  = IntentRequest{ID: "a b", Kind: PointToPoint, Priority: &priority, Src: PointEnds(Point{"1", 2}),
		Dst: PointEnds(Point{"2", 1}), Selector: Selector{"tcp_dst": "80"}}
	requestText = `{"id":"a b","kind":"point-to-point","priority":7,"src":{"dpid":"1","port":2},"dst":{"dpid":"2","port":1},` +
		`"selector":{"tcp_dst":"80"}}`
	jsonBody = http.Header{"Content-Type": {"application/json"}}
)

var calls = []call{
	{"Members", "GET /v1/members", `{"items":[{"name":"weir-1","state":"ready","switches":2}],"revision":"e.7"}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Members(ctx) }, nil},
	{"Apps", "GET /v1/apps", `{"items":[{"name":"forward","enabled":true}],"revision":"e.7"}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Apps(ctx) }, nil},
	{"Switches", "GET /v1/switches", `{"items":[{"dpid":"0000000000000001","ports":[{"number":1,"role":"edge"}]}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Switches(ctx) }, nil},
	{"Switch", "GET /v1/switches/a%2Fb", `{"name":"a/b","sync":{"state":"ok"}}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Switch(ctx, "a/b") }, nil},
	{"Ports", "GET /v1/switches/1/ports", `{"items":[{"number":1,"rx_bytes":"0xffffffffffffffff"}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Ports(ctx, "1") }, nil},
	{"Tables", "GET /v1/switches/1/tables", `{"items":[{"table":3,"entries":9,"lookups":"0x10"}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Tables(ctx, "1") }, nil},
	{"Counters", "GET /v1/switches/1/counters", `{"dpid":"1","rx_packets":"0x1a"}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Counters(ctx, "1") }, nil},
	{"Entries", "GET /v1/switches/1/flows", `{"items":[{"table":1,"priority":5,"match":{"in_port":"1"}}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Entries(ctx, "1") }, nil},
	{"Links", "GET /v1/links", `{"items":[{"src":{"dpid":"1","port":2},"dst":{"dpid":"2","port":2},"up":true}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Links(ctx) }, nil},
	{"Hosts", "GET /v1/hosts", page,
		func(ctx context.Context, c *Client) (any, error) { return c.Hosts(ctx) }, nil},
	{"Host", "GET /v1/hosts/00:00:00:00:00:01/7", `{"id":"00:00:00:00:00:01/7","vlan":7,"ips":["10.0.0.1"]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Host(ctx, "00:00:00:00:00:01/7") }, nil},
	{"Flows", "GET /v1/flows", `{"items":[{"owner":"forward","state":"installed"}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Flows(ctx, "") }, nil},
	{"Flows", "GET /v1/flows?dpid=1", page,
		func(ctx context.Context, c *Client) (any, error) { return c.Flows(ctx, "1") }, nil},
	{"Groups", "GET /v1/groups", `{"items":[{"group":1048576,"type":"ff","buckets":[{"watch_port":2,"actions":["output:2"]}],` +
		`"state":"confirmed","rules":3}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Groups(ctx, "") }, nil},
	{"Groups", "GET /v1/groups?dpid=1", page,
		func(ctx context.Context, c *Client) (any, error) { return c.Groups(ctx, "1") }, nil},
	{"Meters", "GET /v1/meters", `{"items":[{"meter":1,"unit":"pktps","bands":[{"type":"drop","rate":100}],"held":"x"}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Meters(ctx, "") }, nil},
	{"Meters", "GET /v1/meters?dpid=1", page,
		func(ctx context.Context, c *Client) (any, error) { return c.Meters(ctx, "1") }, nil},
	{"Paths", "GET /v1/paths?dst=2&k=1&src=1", `{"items":[{"cost":3,"hops":[{"dpid":"1","out":2}]}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Paths(ctx, "1", "2", 1, "") }, nil},
	{"Paths", "GET /v1/paths?disjoint=link&dst=2&k=3&src=1", page,
		func(ctx context.Context, c *Client) (any, error) { return c.Paths(ctx, "1", "2", 3, "link") }, nil},
	{"Check", "GET /v1/check", `{"agrees":true,"switches":[{"dpid":"1","reached":true}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Check(ctx) }, nil},
	{"Alarms", "GET /v1/alarms", `{"items":[{"kind":"drift","active":true,"count":2}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Alarms(ctx, false) }, nil},
	{"Alarms", "GET /v1/alarms?all=true", page,
		func(ctx context.Context, c *Client) (any, error) { return c.Alarms(ctx, true) }, nil},
	{"Audit", "GET /v1/audit?limit=5", `{"items":[{"who":"root","result":"done","status":202}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Audit(ctx, "", 5) }, nil},
	{"Audit", "GET /v1/audit?limit=5&since=2026-11-20T12%3A00%3A00Z", page,
		func(ctx context.Context, c *Client) (any, error) { return c.Audit(ctx, "2026-11-20T12:00:00Z", 5) }, nil},
	{"Configuration", "GET /v1/config", `{"effective":{"name":"weir-1"},"source":"apply"}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Configuration(ctx) }, nil},
	{"Apply", "POST /v1/config name: x", `{"changes":[{"path":"name","new":"x"}],"revision":"e.8"}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Apply(ctx, []byte("name: x"), false) },
		http.Header{"Content-Type": {"application/yaml"}}},
	{"Apply", "POST /v1/config?dry_run=true name: x", `{"dry_run":true}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Apply(ctx, []byte("name: x"), true) }, nil},
	{"Drains", "GET /v1/drain", `{"items":[{"kind":"port","object":"1/2","state":"bound","bound":1}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Drains(ctx) }, nil},
	{"Drain", `POST /v1/drain {"kind":"link","object":"1/2-\u003e2/2"}`, `{"kind":"link","state":"draining","passing":3}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Drain(ctx, "link", "1/2->2/2") }, jsonBody},
	{"Undrain", "DELETE /v1/drain?kind=port&object=s1%2F2", "",
		func(ctx context.Context, c *Client) (any, error) { return nil, c.Undrain(ctx, "port", "s1/2") }, nil},
	{"Tokens", "GET /v1/tokens", `{"items":[{"name":"ci","role":"viewer","from":"store","state":"valid"}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Tokens(ctx) }, nil},
	{"IssuedToken", "GET /v1/tokens/a%2Fb", `{"name":"a/b","role":"-","from":"store","state":"unreadable"}`,
		func(ctx context.Context, c *Client) (any, error) { return c.IssuedToken(ctx, "a/b") }, nil},
	{"AddToken", `POST /v1/tokens {"name":"ci","role":"viewer"}`, `{"name":"ci","role":"viewer","token":"weir_x"}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.AddToken(ctx, TokenRequest{Name: "ci", Role: "viewer"})
		}, jsonBody},
	{"AddMember", `POST /v1/members {"peer":"10.0.0.2:9876"}`, `{"name":"(10.0.0.2:9876)","peer":"10.0.0.2:9876"}`,
		func(ctx context.Context, c *Client) (any, error) { return c.AddMember(ctx, "10.0.0.2:9876") }, nil},
	{"RemoveMember", "DELETE /v1/members/b", "",
		func(ctx context.Context, c *Client) (any, error) { return nil, c.RemoveMember(ctx, "b") }, nil},
	{"RemoveToken", "DELETE /v1/tokens/ci", "",
		func(ctx context.Context, c *Client) (any, error) { return nil, c.RemoveToken(ctx, "ci") }, nil},
	{"Tenants", "GET /v1/tenants", `{"items":[{"name":"blue","number":3,"ports":["*"],"etag":"a1"}],"revision":"e.7"}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Tenants(ctx) }, nil},
	{"Tenant", "GET /v1/tenants/a%2Fb", `{"name":"blue","state":{"switches":[{"dpid":"1","entries":2}]}}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Tenant(ctx, "a/b") }, nil},
	{"PutTenant", `PUT /v1/tenants/blue {"name":"blue","ports":["*"]}`, `{"changes":[{"path":"number","new":"3"}]}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.PutTenant(ctx, &TenantDefinition{Name: "blue", Ports: []string{"*"}}, TenantOptions{New: true})
		}, http.Header{"Content-Type": {"application/json"}, "If-None-Match": {"*"}}},
	{"PutTenant", `PUT /v1/tenants/blue?dry_run=true {"name":"blue","ports":["*"]}`, `{"dry_run":true}`,
		func(ctx context.Context, c *Client) (any, error) {
			o := TenantOptions{DryRun: true, IfMatch: "a"}
			return c.PutTenant(ctx, &TenantDefinition{Name: "blue", Ports: []string{"*"}}, o)
		}, http.Header{"If-Match": {`"a"`}}},
	{"DeleteTenant", "DELETE /v1/tenants/blue?dry_run=true", `{"dry_run":true}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.DeleteTenant(ctx, "blue", TenantOptions{DryRun: true})
		}, nil},
	{"DeleteTenant", "DELETE /v1/tenants/blue", `{"changes":[{"path":"number","old":"3"}]}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.DeleteTenant(ctx, "blue", TenantOptions{IfMatch: "a"})
		}, http.Header{"If-Match": {`"a"`}}},
	{"Forget", "DELETE /v1/switches/1?withdraw=true", `{"kind":"switch","object":"1","withdrawn":4}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Forget(ctx, "switch", "1", true, false) }, nil},
	{"Forget", "DELETE /v1/hosts/00:00:00:00:00:01/7?dry_run=true", `{"kind":"host","dry_run":true,"pairs":2}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.Forget(ctx, "host", "00:00:00:00:00:01/7", false, true)
		}, nil},
	{"CreateIntent", "POST /v1/intents " + requestText, `{"index":0,"id":"a b","status":"accepted","etag":"x"}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.CreateIntent(ctx, &request, CreateOptions{Key: "k"})
		},
		http.Header{"Content-Type": {"application/json"}, "Idempotency-Key": {"k"}}},
	{"CreateIntents", "POST /v1/intents?timeout=2s&wait=installed " + `{"items":[` + requestText + `],"atomic":true}`,
		`{"items":[{"index":0,"status":"conflict","detail":"taken"}],"revision":"e.7"}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.CreateIntents(ctx, []IntentRequest{request}, CreateOptions{Atomic: true, Wait: 2 * time.Second})
		}, jsonBody},
	{"PostIntents", "POST /v1/intents {\n\"items\":[]}", `{"items":[]}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.PostIntents(ctx, []byte("{\n\"items\":[]}"), CreateOptions{})
		}, jsonBody},
	{"ReplaceIntent", "PUT /v1/intents/a%20b " + requestText, `{"status":"existing"}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.ReplaceIntent(ctx, &request, CreateOptions{IfMatch: "x"})
		}, http.Header{"Content-Type": {"application/json"}, "If-Match": {"x"}}},
	{"Intent", "GET /v1/intents/a%20b", `{"id":"a b","src":"00:00:00:00:00:01","state":"installed"}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Intent(ctx, "a b") }, nil},
	{"WaitIntent", "GET /v1/intents/a?timeout=1m30s&wait=installed",
		`{"id":"a","dst":[{"dpid":"1","port":1},{"dpid":"2","port":1}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.WaitIntent(ctx, "a", 90*time.Second) }, nil},
	{"IntentTraffic", "GET /v1/intents/a/traffic", `{"packets":"0x5","bytes":"0xff","packets_rate":2.5}`,
		func(ctx context.Context, c *Client) (any, error) { return c.IntentTraffic(ctx, "a") }, nil},
	{"Intents", "GET /v1/intents?state=failed&state=waiting", `{"items":[{"id":"a","selector":{"tcp_dst":"80"}}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.Intents(ctx, "failed", "waiting") }, nil},
	{"WithdrawIntent", "DELETE /v1/intents/a%2Fb", "",
		func(ctx context.Context, c *Client) (any, error) { return nil, c.WithdrawIntent(ctx, "a/b", "x") },
		http.Header{"If-Match": {"x"}}},
	{"WithdrawIntents", `POST /v1/intents/withdraw {"ids":["a","b"]}`, `{"items":[{"index":1,"status":"not-found"}]}`,
		func(ctx context.Context, c *Client) (any, error) { return c.WithdrawIntents(ctx, []string{"a", "b"}) }, jsonBody},
}

// TestCalls: each call asks for what it says, with the token, and returns all that is answered.
func TestCalls(t *testing.T) {
	for _, x := range calls {
		var asked string
		var header http.Header
		c := newTest(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			asked, header = strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)), r.Header
			io.WriteString(w, x.answer)
		})
		got, err := x.do(t.Context(), c)
		if err != nil || asked != x.asks || header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%s asked %s\nwant %s\n%v", x.method, asked, x.asks, err)
			continue
		}
		for name, want := range x.header {
			if !slices.Equal(header[name], want) {
				t.Errorf("%s sent %s: %q, want %q", x.method, name, header[name], want)
			}
		}
		if x.answer != "" && !within(decoded(t, []byte(x.answer)), decoded(t, encoded(t, got))) {
			t.Errorf("%s returned %s\nof %s", x.method, encoded(t, got), x.answer)
		}
	}
}

// TestCallsFail: a refusal is a *Problem of each call, and an answer that is cut off, or another
// server's, an error that says so.
func TestCallsFail(t *testing.T) {
	for _, x := range calls {
		answer := func(code int, body string) error {
			_, err := x.do(t.Context(), newTest(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(code)
				io.WriteString(w, body)
			}))
			return err
		}
		var p *Problem
		err := answer(409, `{"title":"Conflict","status":409,"detail":"because"}`)
		if !errors.As(err, &p) || p.Status != 409 || p.Detail != "because" {
			t.Errorf("%s, refused: %v", x.method, err)
		}
		if x.answer == "" {
			continue
		}
		if err := answer(200, `{"items":[`); !errors.Is(err, ErrUnreachable) {
			t.Errorf("%s, cut off: %v", x.method, err)
		}
		for _, other := range []string{"<html>", "[]"} {
			if err := answer(200, other); !errors.Is(err, ErrOther) {
				t.Errorf("%s, %s of another server: %v", x.method, other, err)
			}
		}
	}
}

// TestAllCallsAreTested: what a Client can ask for is in the table, or has tests of its own.
func TestAllCallsAreTested(t *testing.T) {
	tested := map[string]bool{"Backup": true, "Watch": true, "StreamIntents": true}
	for _, x := range calls {
		tested[x.method] = true
	}
	of := reflect.TypeFor[*Client]()
	for i := range of.NumMethod() {
		if m := of.Method(i); m.Type.NumIn() > 1 && m.Type.In(1) == reflect.TypeFor[context.Context]() && !tested[m.Name] {
			t.Errorf("%s is called by no test", m.Name)
		}
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decoded(t *testing.T, b []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}

// within reports whether all of a is in b.
func within(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		in, ok := b.(map[string]any)
		for name, v := range a {
			ok = ok && within(v, in[name])
		}
		return ok
	case []any:
		in, ok := b.([]any)
		return ok && slices.EqualFunc(a, in, within)
	}
	return a == b
}

// TestBackup: the bytes are written as they come; one that is cut off is an error.
func TestBackup(t *testing.T) {
	whole := bytes.Repeat([]byte("pairs\x00"), 1<<15)
	var asked string
	serve := func(length int) *Client {
		return newTest(t, func(w http.ResponseWriter, r *http.Request) {
			asked = r.Method + " " + r.URL.RequestURI()
			w.Write(whole[:length])
			if length < len(whole) {
				panic(http.ErrAbortHandler)
			}
		})
	}
	var got bytes.Buffer
	err := serve(len(whole)).Backup(t.Context(), &got)
	if err != nil || asked != "GET /v1/backup" || !bytes.Equal(got.Bytes(), whole) {
		t.Errorf("%s: %d bytes of %d: %v", asked, got.Len(), len(whole), err)
	}
	if err := serve(len(whole)/2).Backup(t.Context(), io.Discard); err == nil {
		t.Error("a backup that is cut off has no error")
	}
	refused := newTest(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) })
	var p *Problem
	if err := refused.Backup(t.Context(), io.Discard); !errors.As(err, &p) || p.Status != 403 {
		t.Errorf("refused: %v", err)
	}
}

// TestProblemsOfAConfiguration: all that is wrong comes with its lines.
func TestProblemsOfAConfiguration(t *testing.T) {
	c := newTest(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(422)
		io.WriteString(w, `{"title":"Unprocessable Entity","status":422,
			"problems":[{"line":3,"path":"name","text":"no"},{"text":"two"}]}`)
	})
	_, err := c.Apply(t.Context(), nil, false)
	var p *Problem
	if !errors.As(err, &p) || !slices.Equal(p.Problems, []ConfigProblem{{3, "name", "no"}, {0, "", "two"}}) {
		t.Errorf("%+v", err)
	}
}

// TestIntentEnds: an end is written and read as a host, a connect point, or a list of them.
func TestIntentEnds(t *testing.T) {
	for _, x := range []struct {
		ends       IntentEnds
		json, text string
	}{
		{HostEnd("00:00:00:00:00:01/7"), `"00:00:00:00:00:01/7"`, "00:00:00:00:00:01/7"},
		{PointEnds(Point{"1", 2}), `{"dpid":"1","port":2}`, "1/2"},
		{PointEnds(Point{"1", 2}, Point{"3", 4}), `[{"dpid":"1","port":2},{"dpid":"3","port":4}]`, "1/2,3/4"},
	} {
		var back IntentEnds
		if b := encoded(t, x.ends); string(b) != x.json || json.Unmarshal(b, &back) != nil || !reflect.DeepEqual(back, x.ends) {
			t.Errorf("%s is written %s and read %+v", x.json, b, back)
		}
		if x.ends.String() != x.text || x.ends.IsZero() {
			t.Errorf("%s prints as %s", x.json, x.ends)
		}
	}
	var e IntentEnds
	for _, bad := range []string{"1", "true", `{"dpid":1}`, `[1]`} {
		if err := json.Unmarshal([]byte(bad), &e); err == nil {
			t.Errorf("%s is read as %+v", bad, e)
		}
	}
	if err := json.Unmarshal([]byte("null"), &e); err != nil || !e.IsZero() {
		t.Errorf("null is read as %+v: %v", e, err)
	}
}

// TestSelector: values are text or numbers.
func TestSelector(t *testing.T) {
	var s Selector
	err := json.Unmarshal([]byte(`{"tcp_dst":80,"ipv4_dst":"10.0.0.0/8","wild":"a\"b"}`), &s)
	if want := (Selector{"tcp_dst": "80", "ipv4_dst": "10.0.0.0/8", "wild": `a"b`}); err != nil || !reflect.DeepEqual(s, want) {
		t.Errorf("%v: %v", s, err)
	}
	for _, bad := range []string{"[]", `"x"`, "7"} {
		if json.Unmarshal([]byte(bad), &s) == nil {
			t.Errorf("%s is read as %v", bad, s)
		}
	}
}

// TestAnswerOK: what was asked for holds if it was accepted, or held before.
func TestAnswerOK(t *testing.T) {
	for status, want := range map[string]bool{"accepted": true, "existing": true, "conflict": false, "failed": false, "": false} {
		if a := (IntentAnswer{Status: status}); a.OK() != want {
			t.Errorf("%q is OK: %v", status, a.OK())
		}
	}
}
