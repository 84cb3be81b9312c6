package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestSecretsAreNotLogged sends tokens and passwords to the wrong places, as somebody without a
// token and as somebody with one: neither the audit log nor the answer has them.
func TestSecretsAreNotLogged(t *testing.T) {
	const password = "hunter2hunter2"
	for _, c := range []struct{ method, path, auth, host, origin, body string }{
		{path: "/v1/links?token=" + adminToken},
		{path: "/v1/links?at_least=5&token=" + adminToken},
		{path: "/v1/links?x=" + adminToken + "x"},
		{path: "/v1/links?" + adminToken},
		{path: "/v1/links?t%6fken=" + strings.ReplaceAll(adminToken, "-", "%2d")},
		{path: "/v1/links?" + adminToken + "="},
		{path: "/v1/links&token=" + adminToken},
		{path: "/v1/links/" + adminToken},
		{path: "/v1/links?Authorization=Basic%20" + password},
		{path: "/v1/links", auth: "Basic " + password},
		{path: "/v1/links", auth: "Bearer " + password},
		{path: "/v1/links?token=" + password, host: "user:" + password + "@nowhere"},
		{path: "/v1/links?token=" + password, origin: "http://user:" + password + "@nowhere"},
		{method: "DELETE", path: "/v1/drain?kind=switch&object=s1&password=" + password, auth: viewerToken},
		{method: "DELETE", path: "/v1/drain?kind=switch&object=s1&token=" + adminToken, auth: operatorToken},
		{method: "DELETE", path: "/v1/drain?kind=switch&object=" + adminToken, auth: viewerToken},
		{method: "DELETE", path: "/v1/drain?kind=switch;password=" + password, auth: operatorToken},
		{method: "POST", path: "/v1/drain", auth: operatorToken, body: `{"kind":"switch","token":"` + password + `"}`},
		{method: "POST", path: "/v1/config", auth: operatorToken, body: "api:\n  Password: " + password + "\n"},
		{method: "POST", path: "/v1/intents", auth: operatorToken, body: `{"id":"a","access_token" : "` + password + `"}`},
	} {
		s := newSmall(t, nil)
		r := httptest.NewRequest(orElse(c.method, "GET"), c.path, strings.NewReader(c.body))
		r.Host = orElse(c.host, "127.0.0.1:8181")
		if c.auth != "" {
			r.Header.Set("Authorization", map[bool]string{true: "", false: "Bearer "}[strings.Contains(c.auth, " ")]+c.auth)
		}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if strings.HasPrefix(c.body, "{") {
			r.Header.Set("Content-Type", "application/json")
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		log := ""
		for _, record := range s.log.records {
			log += record.What + " " + record.Object + " " + record.Detail + "\n"
		}
		if w.Code < http.StatusBadRequest || log == "" && (c.method != "" || c.auth == "") {
			t.Errorf("%+v: answered %d %s, logged %q", c, w.Code, w.Body, log)
		}
		for _, secret := range []string{adminToken, strings.ReplaceAll(adminToken, "-", "%2d"), password} {
			if strings.Contains(log, secret) || strings.Contains(w.Body.String(), secret) {
				t.Errorf("%+v: the log has %q, the answer %s", c, log, w.Body)
			}
		}
	}
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
