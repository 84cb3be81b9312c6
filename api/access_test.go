package api

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weirnet/weir/api/rest"
)

// fill makes a path of a pattern.
func fillPattern(pattern string) string {
	return strings.NewReplacer("{dpid}", "1", tokensPath+"/{id}", tokensPath+"/root", tenantsPath+"/{id}", tenantsPath+"/blue",
		"{id}", "00:00:00:00:00:01",
		"{vlan}", "0").Replace(pattern)
}

// TestEveryRouteWithEveryToken asks each route of the router, so that a new one cannot be
// forgotten, as nobody, with a wrong token, as tenant, viewer, operator and admin.
func TestEveryRouteWithEveryToken(t *testing.T) {
	s, _ := newSmallWith(t)
	s.write("PUT", tenantsPath+"/blue", adminToken, `{"ports":["1/1"]}`)
	blue := s.made(t, `{"role":"tenant","tenant":"blue"}`)
	public := map[string]bool{"/healthz": true, "/readyz": true}
	seen := 0
	for _, route := range s.Routes() {
		path := askedPath(route)
		for _, c := range everyToken(blue) {
			w := s.do(route.Method, path, func(r *http.Request) {
				fillBody(r, route)
				r.Header.Set("Authorization", c.auth)
				ctx, cancel := context.WithCancel(r.Context())
				cancel() // event streams end at once
				*r = *r.WithContext(ctx)
			})
			needs := rest.RoleOperator
			switch {
			case route.Path == "/v1/audit" || route.Path == backupPath || strings.HasPrefix(route.Path, tokensPath),
				strings.HasPrefix(route.Path, membersPath) && route.Method != "GET",
				strings.HasPrefix(route.Path, tenantsPath) && route.Method != "GET":
				needs = rest.RoleAdmin
			case strings.HasPrefix(route.Path, tenantsPath):
				needs = rest.RoleTenant
			case route.Method == "GET":
				needs = rest.RoleViewer
			}
			allowed := c.role >= needs || public[route.Path]
			if got := w.Code != http.StatusUnauthorized && w.Code != http.StatusForbidden; got != allowed {
				t.Errorf("%s %s with Authorization %q: status %d, allowed %v want %v", route.Method, path, c.auth,
					w.Code, got, allowed)
			}
			if allowed && w.Code != http.StatusOK && !strings.HasPrefix(route.Path, "/v1/intents") &&
				!(route.Path == tokensPath && w.Code == http.StatusCreated) &&
				!(route.Path == membersPath && w.Code == http.StatusNotFound) && // of a store that is this instance's alone
				!(route.Method == "DELETE" && (w.Code == http.StatusNoContent || w.Code == http.StatusNotFound)) &&
				!(path == tokensPath+"/root" && w.Code == http.StatusConflict) {
				t.Errorf("%s %s with Authorization %q: status %d: %s", route.Method, path, c.auth, w.Code, w.Body)
			}
			if w.Code == http.StatusUnauthorized && w.Header().Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s: 401 without WWW-Authenticate", route.Method, path)
			}
			seen++
		}
	}
	if seen < 24*12 {
		t.Errorf("%d requests: routes are missing", seen)
	}
}

// askedPath is a path of a route that means something.
func askedPath(route *rest.Route) string {
	path := fillPattern(route.Path)
	if path == "/v1/paths" {
		path += "?src=1&dst=2"
	} else if path == "/v1/drain" && route.Method == "DELETE" {
		path += "?kind=switch&object=s1"
	}
	return path
}

// fillBody gives a request the body that its route wants.
func fillBody(r *http.Request, route *rest.Route) {
	if route.Path == "/v1/drain" && route.Method != "DELETE" {
		r.Body = io.NopCloser(strings.NewReader(`{"kind":"switch","object":"s1"}`))
		r.Header.Set("Content-Type", "application/json")
	}
	if body := intentBody(route); body != "" {
		r.Body = io.NopCloser(strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
	}
	if route.Path == tokensPath && route.Method == "POST" {
		r.Body = io.NopCloser(strings.NewReader(`{"role":"viewer"}`))
		r.Header.Set("Content-Type", "application/json")
	}
	if route.Path == membersPath && route.Method == "POST" {
		r.Body = io.NopCloser(strings.NewReader(`{"peer":"127.0.0.1:1"}`))
		r.Header.Set("Content-Type", "application/json")
	}
	if route.Path == tenantsPath+"/{id}" && route.Method == "PUT" {
		r.Body = io.NopCloser(strings.NewReader(`{"ports":["1/1"]}`))
		r.Header.Set("Content-Type", "application/json")
	}
	if route.Path == configPath && route.Method == "POST" {
		r.Body = io.NopCloser(strings.NewReader("switches: {1: {name: s1}}"))
	}
}

// authorized is a header Authorization, and the role that it gives.
type authorized struct {
	auth string
	role rest.Role
}

// everyToken are those of nobody, of each role, and of a tenant.
func everyToken(tenants string) []authorized {
	return []authorized{
		{"", rest.RoleNone}, {"Bearer", rest.RoleNone}, {"Bearer ", rest.RoleNone}, {"Bearer wrong", rest.RoleNone},
		{"Basic " + adminToken, rest.RoleNone}, {adminToken, rest.RoleNone},
		{"Bearer " + adminToken + "x", rest.RoleNone}, {"Bearer " + viewerToken, rest.RoleViewer},
		{"Bearer " + operatorToken, rest.RoleOperator}, {"Bearer " + adminToken, rest.RoleAdmin},
		{"bearer  " + adminToken, rest.RoleAdmin}, {"Bearer " + tenants, rest.RoleTenant},
	}
}

// intentBody is a body for the routes of intents that take one.
func intentBody(r *rest.Route) string {
	switch {
	case r.Path == "/v1/intents/withdraw":
		return `{"ids":["a"]}`
	case strings.HasPrefix(r.Path, "/v1/intents") && (r.Method == "POST" || r.Method == "PUT"):
		return `{` + across + `}`
	}
	return ""
}

// TestRoutesAreDocumented: what the router has, the description has, and the other way round.
func TestRoutesAreDocumented(t *testing.T) {
	s := newSmall(t, nil)
	paths := s.OpenAPI().Paths
	undocumented := map[string]bool{}
	for path, p := range paths {
		for method, op := range map[string]*huma.Operation{"GET": p.Get, "POST": p.Post, "PUT": p.Put, "DELETE": p.Delete} {
			undocumented[method+" "+path] = true
			if op == nil {
				delete(undocumented, method+" "+path)
			}
		}
	}
	for _, r := range s.Routes() {
		p := paths[r.Path]
		if p == nil {
			t.Errorf("%s is not in /openapi.json", r.Path)
			continue
		}
		op := map[string]*huma.Operation{"GET": p.Get, "POST": p.Post, "PUT": p.Put, "DELETE": p.Delete}[r.Method]
		if op == nil {
			t.Errorf("%s %s is not in /openapi.json", r.Method, r.Path)
		} else if open := op.Security != nil; open != r.Public {
			t.Errorf("%s: documented as open to all: %v", r.Path, open)
		}
		delete(undocumented, r.Method+" "+r.Path)
	}
	for what := range undocumented {
		t.Errorf("%s is documented and is no route", what)
	}
}

// TestWritesNeedAnOperator: what is not GET needs one where the route says nothing.
func TestWritesNeedAnOperator(t *testing.T) {
	s := newSmall(t, nil)
	nothing := rest.Plain(func(http.ResponseWriter, *http.Request) {})
	s.Add([]rest.Route{{Method: "POST", Path: "/v1/test", Handler: nothing},
		{Method: "PUT", Path: "/v1/admins", Handler: nothing, Role: rest.RoleAdmin}})
	for token, want := range map[string][2]int{"": {401, 401}, viewerToken: {403, 403}, operatorToken: {200, 403},
		adminToken: {200, 200}} {
		as := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
		if got := [2]int{s.do("POST", "/v1/test", as).Code, s.do("PUT", "/v1/admins", as).Code}; got != want {
			t.Errorf("with token %q: statuses %d, want %d", token, got, want)
		}
	}
	w := s.do("DELETE", "/v1/test")
	if w.Code != 405 || w.Header().Get("Allow") != "POST" {
		t.Errorf("DELETE: status %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
	if w := s.do("GET", "/v1/nothing", func(r *http.Request) { r.Header.Del("Authorization") }); w.Code != 401 {
		t.Errorf("what does not exist, without a token: status %d, want 401", w.Code)
	}
}

func TestOpen(t *testing.T) {
	s := newSmall(t, func(c *Config) { c.Access = rest.Access{Open: true, Listen: "127.0.0.1:8181"} })
	if w := s.do("GET", "/v1/links", func(r *http.Request) { r.Header.Del("Authorization") }); w.Code != 200 {
		t.Errorf("--auth=none: status %d", w.Code)
	}
	if w := s.do("GET", "/v1/links", func(r *http.Request) { r.Host = "evil.example" }); w.Code != 403 {
		t.Errorf("--auth=none, Host of a anonymous: status %d, want 403", w.Code)
	}
}

func TestHostAndOrigin(t *testing.T) {
	for _, c := range []struct {
		listen, host, origin string
		want                 int
	}{
		{"127.0.0.1:8181", "127.0.0.1:8181", "", 200},
		{"127.0.0.1:8181", "localhost:8181", "", 200},
		{"127.0.0.1:8181", "LOCALHOST", "", 200},
		{"127.0.0.1:8181", "[::1]:8181", "", 200},
		{"127.0.0.1:8181", "127.0.0.1:9999", "", 200}, // a forwarded port
		{"127.0.0.1:8181", "weir.example:8181", "", 200},
		{"127.0.0.1:8181", "weir.example.:8181", "", 200},
		{"127.0.0.1:8181", "evil.example:8181", "", 403},
		{"127.0.0.1:8181", "10.1.2.3:8181", "", 403},
		{"127.0.0.1:8181", "127.0.0.1.evil.example", "", 403},
		{"127.0.0.1:8181", "", "", 403},
		{"127.0.0.1:8181", "localhost@evil.example", "", 403},
		{"10.1.2.3:8181", "10.1.2.3:8181", "", 200},
		{"10.1.2.3:8181", "10.1.2.4:8181", "", 403},
		{"0.0.0.0:8181", "10.1.2.4:8181", "", 200},
		{":8181", "[2001:db8::1]:8181", "", 200},
		{"0.0.0.0:8181", "evil.example:8181", "", 403},
		{"127.0.0.1:8181", "127.0.0.1:8181", "http://127.0.0.1:8181", 200},
		{"127.0.0.1:8181", "127.0.0.1:8181", "http://127.0.0.1:8182", 403},
		{"127.0.0.1:8181", "127.0.0.1:8181", "https://127.0.0.1:8181", 403},
		{"127.0.0.1:8181", "127.0.0.1:8181", "http://evil.example", 403},
		{"127.0.0.1:8181", "127.0.0.1:8181", "null", 403},
	} {
		s := newSmall(t, func(cfg *Config) { cfg.Access.Listen, cfg.Access.Names = c.listen, []string{"Weir.Example"} })
		w := s.do("GET", "/v1/members", func(r *http.Request) {
			r.Host = c.host
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
		})
		if w.Code != c.want {
			t.Errorf("listening on %s, Host %q, Origin %q: status %d, want %d", c.listen, c.host, c.origin, w.Code, c.want)
		}
	}
}
