package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/store"
)

// servedTenants serves tenant blue, at one switch.
type servedTenants struct{}

func (servedTenants) State(name string) (client.TenantState, bool) {
	if name != "blue" {
		return client.TenantState{}, false
	}
	since := noon
	return client.TenantState{Switches: []client.TenantSwitch{{DPID: "0000000000000001", Connected: true, Entries: 2, Waiting: 1,
		Controllers: []client.TenantConnection{{Address: "tcp:127.0.0.1:6653", State: "connected", Role: "master", Since: &since},
			{Address: "ssl:[2001:db8::1]:6653", State: "backoff", Error: "connection refused", RetryInMS: 800}}}}}, true
}

const (
	blue = `{"ports":["0x1/1","2/*"],"space":[{"priority":10,"match":{"vlan_vid":"100"}},` +
		`{"priority":9,"match":{"ipv4_dst":"10.0.0.0/8"}}],"controllers":["tcp:127.0.0.1:6653","ssl:[2001:db8::1]:6653"]}`
	red = `{"name":"red","number":7,"ports":["*"],"space":[{"priority":11,"match":{"ipv4_dst":"10.9.0.0/16"}}]}`
)

// TestTenants compares what requests about tenants answer, and what the log then says, with testdata/tenants.txt.
func TestTenants(t *testing.T) {
	s := newSmall(t, nil)
	s.pages.newID = func() string { return strings.Repeat("0", 32) }
	var got strings.Builder
	names := map[string]string{adminToken: "root", operatorToken: "operator", viewerToken: "viewer"}
	ask := func(method, path, token, body string, h ...func(*http.Request)) *httptest.ResponseRecorder {
		w := s.do(method, path, append([]func(*http.Request){func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+token)
			if body != "" {
				r.Body = io.NopCloser(strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
			}
		}}, h...)...)
		fmt.Fprintf(&got, "%s %s as %q: %s\n%d %s\n%s\n%s\n", method, path, names[token], body, w.Code, w.Header().Get("ETag"),
			strings.TrimSpace(w.Body.String()), s.audits())
		return w
	}
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	ask("GET", tenantsPath, viewerToken, "")
	ask("PUT", tenantsPath+"/blue", operatorToken, blue)
	ask("PUT", tenantsPath+"/blue?dry_run=true", viewerToken, blue)
	ask("GET", tenantsPath+"/blue", viewerToken, "")
	ask("PUT", tenantsPath+"/blue", adminToken, blue, with("If-None-Match", "*"))
	ask("PUT", tenantsPath+"/blue", adminToken, blue, with("If-None-Match", "*"))
	etag := ask("PUT", tenantsPath+"/blue", adminToken, blue).Header().Get("ETag")
	ask("GET", tenantsPath+"/blue", viewerToken, "")
	ask("PUT", tenantsPath+"/red", adminToken, red)
	ask("GET", tenantsPath+"?limit=1", viewerToken, "")
	ask("GET", tenantsPath, viewerToken, "")
	ask("PUT", tenantsPath+"/blue", adminToken, `{"ports":["1/1","1/3"]}`, with("If-Match", `"0123"`))
	ask("PUT", tenantsPath+"/blue", adminToken, `{"ports":["1/1","1/3"]}`, with("If-None-Match", `"0123"`))
	ask("PUT", tenantsPath+"/blue", adminToken, `{"ports":["1/1","1/3"]}`)
	ask("PUT", tenantsPath+"/blue", adminToken, strings.ReplaceAll(blue, "100", "101"), with("If-Match", etag))
	for _, body := range []string{`{}`, `{"ports":[]}`, `{"ports":["s1/1"]}`, `{"name":"green","ports":["*"]}`,
		`{"ports":["*"],"limit":7}`,
		`{"number":8,"ports":["*"],"space":[{"priority":1,"match":{"vlan_vid":"1"}}]}`, `{"number":70000,"ports":["*"]}`,
		`{"ports":["*"],"space":[{"priority":11,"match":{"ipv4_dst":"10.0.0.0/8"}}]}`,
		`{"ports":["*"],"space":[{"priority":1,"match":{"vlan_vid":"4096"}}]}`,
		`{"ports":["*"],"space":[{"priority":1,"match":{"vlan":"1"}}]}`,
		`{"ports":["*"],"space":[{"priority":1,"match":{"tcp_dst":"80","ip_proto":"17"}}]}`,
		`{"ports":["*"],"space":[{"priority":1,"match":{},"queue":1}]}`,
		`{"ports":["*"],"controllers":["udp:127.0.0.1:6653"]}`, `{"ports":["*"],"controllers":["tcp:::1:6653"]}`, `[]`, `{"ports":`} {
		ask("PUT", tenantsPath+"/blue", adminToken, body)
	}
	ask("PUT", tenantsPath+"/Blue", adminToken, blue)
	ask("DELETE", tenantsPath+"/red", operatorToken, "")
	ask("DELETE", tenantsPath+"/red?dry_run=true", viewerToken, "")
	ask("DELETE", tenantsPath+"/red", adminToken, "", with("If-Match", `"0123"`))
	s.kept.Inject(func(store.Call) store.Fault { return store.Full })
	ask("DELETE", tenantsPath+"/red", adminToken, "")
	s.kept.Inject(nil)
	ask("DELETE", tenantsPath+"/red", adminToken, "")
	ask("DELETE", tenantsPath+"/red", adminToken, "")
	ask("GET", tenantsPath+"/red", viewerToken, "")
	damage := store.Txn{Then: []store.Op{store.Put([]byte("tenants/blue"), []byte("x"))}}
	if _, err := s.kept.Txn(t.Context(), damage); err != nil {
		t.Fatal(err)
	}
	if err := s.tenants.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask("GET", tenantsPath+"/blue", viewerToken, "")
	ask("PUT", tenantsPath+"/blue", adminToken, blue)
	ask("DELETE", tenantsPath+"/blue", adminToken, "")
	golden.Compare(t, "testdata/tenants.txt", []byte(got.String()))
}

// TestTenantTokens: a token of a tenant reads that tenant, and nothing else; not even a later one of its name.
func TestTenantTokens(t *testing.T) {
	s := newSmall(t, nil)
	for name, body := range map[string]string{"blue": blue, "red": red} {
		if w := s.write("PUT", tenantsPath+"/"+name, adminToken, body); w.Code != http.StatusOK {
			t.Fatal(w.Body)
		}
	}
	token := s.made(t, `{"name":"of-blue","role":"tenant","tenant":"blue"}`)
	want := func(path, token string, status int, text string) {
		t.Helper()
		if w := s.write("GET", path, token, ""); w.Code != status || !strings.Contains(w.Body.String(), text) {
			t.Errorf("GET %s: status %d, want %d with %q: %s", path, w.Code, status, text, w.Body)
		}
	}
	want(tenantsPath+"/blue", token, 200, `"dpid":"0000000000000001"`)
	want(tenantsPath+"/red", token, 403, "of tenant blue")
	want(tenantsPath+"/green", token, 403, "of tenant blue") // nor whether there is one
	want("/v1/switches", token, 403, "/v1/tenants/blue and nothing else")
	want("/v2", token, 403, "")
	want(tokensPath+"/of-blue", adminToken, 200, `"tenant":"blue"`)
	var page client.Page[client.Tenant]
	w := s.write("GET", tenantsPath, token, "")
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || len(page.Items) != 1 || page.Items[0].Name != "blue" {
		t.Errorf("it lists %s", w.Body)
	}
	// a page of everybody's list is not for it
	all := s.write("GET", tenantsPath+"?limit=1", viewerToken, "")
	if err := json.Unmarshal(all.Body.Bytes(), &page); err != nil || page.Continue == "" {
		t.Fatal(all.Body)
	}
	want(tenantsPath+"?continue="+page.Continue, token, 400, "of another list")
	for _, path := range []string{"/blue", "/blue?dry_run=true", "/red?dry_run=true"} {
		for _, method := range []string{"PUT", "DELETE"} {
			if w := s.write(method, tenantsPath+path, token, blue); w.Code != http.StatusForbidden {
				t.Errorf("%s %s: status %d: %s", method, path, w.Code, w.Body)
			}
		}
	}
	for _, body := range []string{`{"role":"tenant"}`, `{"role":"viewer","tenant":"blue"}`,
		`{"role":"tenant","tenant":"green"}`} {
		if w := s.write("POST", tokensPath, adminToken, body); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("%s: status %d: %s", body, w.Code, w.Body)
		}
	}
	s.write("DELETE", tenantsPath+"/blue", adminToken, "")
	want(tenantsPath+"/blue", token, 401, "that was deleted")
	s.write("PUT", tenantsPath+"/blue", adminToken, blue)
	want(tenantsPath+"/blue", token, 401, "that was deleted")
	want(tokensPath+"/of-blue", adminToken, 200, `"state":"revoked"`)
	want(tenantsPath+"/blue", s.made(t, `{"role":"tenant","tenant":"blue"}`), 200, `"name":"blue"`)
	want(tokensPath+"/of-blue", adminToken, 404, "") // the next creation has removed it
}
