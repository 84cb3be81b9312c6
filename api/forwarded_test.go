package api

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/api/relay"
	"github.com/weirnet/weir/api/rest"
)

// standbyOf is the API of an instance b that stands by while another one, whose API is given, decides.
func standbyOf(t testing.TB, owner *small) *Server {
	var port *httptest.Server
	received := relay.NewReceiver(func() []relay.Member {
		return []relay.Member{{Name: "weir-1", Address: port.Listener.Addr().String(), Self: true}, {Name: "b"}}
	}, false)
	port = httptest.NewServer(received)
	t.Cleanup(port.Close)
	go received.Serve(t.Context(), owner)
	forward := relay.New(relay.Config{Name: "b", Hold: 10 * time.Second, Target: func() relay.Target {
		return relay.Target{Life: "1", Name: "weir-1", Address: port.Listener.Addr().String()}
	}})
	t.Cleanup(forward.Close)
	cfg := Config{View: owner.view, Members: func() []client.Member { return nil }}
	cfg.Access = rest.Access{Listen: "127.0.0.1:8181", Tokens: []rest.Token{{Role: rest.RoleAdmin, Secret: adminToken},
		{Role: rest.RoleOperator, Secret: operatorToken}, {Role: rest.RoleViewer, Secret: viewerToken}}}
	cfg.Forward = forward
	return New(cfg)
}

// worked is a revision, whose last part counts what happened to intents, some of it after the answer.
var worked = regexp.MustCompile(`(\be\.[0-9]+)\.i[0-9]+`)

// drawn is what differs between two instances that are asked the same.
var drawn = regexp.MustCompile(`weir_[-_A-Za-z0-9]+|(tenant|viewer)-[0-9a-f]{8}`)

// TestStandbyAnswersAsTheOwner asks each route with every token at an owner, and at an instance that stands by while an
// owner like it decides: the answers are equal. Of those of the instance itself the gate's are.
func TestStandbyAnswersAsTheOwner(t *testing.T) {
	direct, _ := newSmallWith(t)
	owner, _ := newSmallWith(t)
	standby := standbyOf(t, owner)
	var blue [2]string
	for i, s := range []*small{direct, owner} {
		s.write("PUT", tenantsPath+"/blue", adminToken, `{"ports":["1/1"]}`)
		blue[i] = s.made(t, `{"role":"tenant","tenant":"blue"}`)
	}
	seen := 0
	for _, route := range direct.Routes() {
		if route.Endless {
			continue // api/relay has those
		}
		for i, c := range everyToken(blue[0]) {
			ask := func(h http.Handler, auth string) *httptest.ResponseRecorder {
				r := httptest.NewRequest(route.Method, "http://127.0.0.1:8181"+askedPath(route), nil)
				fillBody(r, route)
				if r.Body != nil {
					r.ContentLength = -1
				}
				r.Header.Set("Authorization", auth)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return w
			}
			want, got := ask(direct, c.auth), ask(standby, everyToken(blue[1])[i].auth)
			seen++
			if route.Instance && want.Code == http.StatusOK && c.role > rest.RoleTenant || route.Public {
				continue
			}
			if route.Instance && c.role == rest.RoleTenant && got.Code >= 400 {
				continue
			}
			plain := func(s string) string { return worked.ReplaceAllString(drawn.ReplaceAllString(s, "T"), "$1") }
			w, g := plain(want.Body.String()), plain(got.Body.String())
			if route.Path == auditPath && want.Code == http.StatusOK {
				w, g = "", "" // ids; and what came without a token was refused by the standby
			}
			if want.Code != got.Code || w != g {
				t.Errorf("%s %s with Authorization %q: %d %.300s\nat the standby %d %.300s", route.Method, askedPath(route), c.auth,
					want.Code, w, got.Code, g)
			}
			for _, h := range []http.Header{want.Header(), got.Header()} {
				for _, name := range []string{"X-Request-Id", "Date", "Content-Length", "Connection"} {
					h.Del(name)
				}
			}
			same := func(a, b []string) bool { return len(a) == len(b) && plain(a[0]) == plain(b[0]) }
			if !maps.EqualFunc(want.Header(), got.Header(), same) {
				t.Errorf("%s %s with Authorization %q: headers %v, at the standby %v", route.Method, askedPath(route), c.auth,
					want.Header(), got.Header())
			}
		}
	}
	via := 0
	for _, r := range owner.log.records {
		if r.Via == "b" && r.From == "192.0.2.1:1234" {
			via++
		}
	}
	if via < 100 {
		t.Errorf("%d records of the audit log name the instance that was asked", via)
	}
	if seen < 24*12 {
		t.Errorf("%d requests: routes are missing", seen)
	}
}
