package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/rest"
)

// TestMalformedQuery: what cannot be decoded, or is given twice, is refused and nothing is done;
// what may be repeated is taken.
func TestMalformedQuery(t *testing.T) {
	f := &forgetter{}
	s := newSmall(t, func(c *Config) { c.Forgetter = f })
	f.small = s
	query := func(h http.Handler, method, path, query string) (int, string) {
		r := httptest.NewRequest(method, path, nil)
		r.Host, r.URL.RawQuery = "127.0.0.1:8181", query
		r.Header.Set("Authorization", "Bearer "+operatorToken)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	for q, want := range map[string]string{
		"dry_run=tr%ue": "want NAME=VALUE", "dry_run=true;x": "want NAME=VALUE", "dry_run=%zz": "want NAME=VALUE",
		"dry_run=false&dry_run=true": `"dry_run\" was given 2 times`,
	} {
		if code, text := query(s, "DELETE", "/v1/switches/2", q); code < 400 || !strings.Contains(text, want) {
			t.Errorf("DELETE with %s: %d %s", q, code, text)
		}
	}
	if len(f.done) > 0 {
		t.Errorf("forgotten: %v", f.done)
	}
	with, _ := newSmallWith(t)
	for _, path := range []string{"/v1/intents", "/metrics"} {
		if code, text := query(with, "GET", path, "state=failed&state=installed"); code != 200 {
			t.Errorf("GET %s with a parameter that may be repeated: %d %s", path, code, text)
		}
	}
	stack := rest.NewStack(rest.StackConfig{Access: rest.Access{Open: true}}, "test", "")
	if code, text := query(stack, "GET", "/openapi.json", "a=%zz"); code != 400 {
		t.Errorf("GET of a stack alone: %d %s", code, text)
	}
}
