package api

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/store"
)

// made makes a token, and returns it.
func (s *small) made(t *testing.T, body string) string {
	t.Helper()
	w := s.write("POST", tokensPath, adminToken, body)
	var made client.NewToken
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil || w.Code != 201 || made.Value == "" {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return made.Value
}

// TestTokens compares what requests about tokens answer, and what the log then says, with
// testdata/tokens.txt.
func TestTokens(t *testing.T) {
	s := newSmall(t, nil)
	var got strings.Builder
	secret := regexp.MustCompile(`weir_[A-Za-z0-9_-]{43}`)
	names := map[string]string{adminToken: "root", operatorToken: "operator", viewerToken: "viewer"}
	ask := func(method, path, token, body string) string {
		w := s.write(method, path, token, body)
		found := secret.FindString(w.Body.String())
		audits := s.audits()
		if found != "" && strings.Contains(audits, found) {
			t.Errorf("the log has the token: %s", audits)
		}
		names[found] = "the token"
		fmt.Fprintf(&got, "%s %s as %q: %s\n%d %s\n%s\n", method, secret.ReplaceAllString(path, "(a token)"), names[token],
			body, w.Code, secret.ReplaceAllString(strings.TrimSpace(w.Body.String()), "(a token)"), audits)
		return found
	}
	ci := ask("POST", tokensPath, adminToken, `{"name":"ci","role":"operator","expires":"2026-11-20T13:00:00+01:00"}`)
	if ci != "" {
		t.Error("a token whose time is over")
	}
	ci = ask("POST", tokensPath, adminToken, `{"name":"ci","role":"operator","expires":"2026-11-20T14:00:00+01:00"}`)
	ask("GET", "/v1/members", ci, "")
	ask("PUT", "/v1/drain", ci, `{"kind":"switch","object":"s1"}`)
	ask("GET", tokensPath, ci, "")
	ask("GET", tokensPath, adminToken, "")
	ask("GET", tokensPath+"/ci", adminToken, "")
	ask("GET", tokensPath+"/other", adminToken, "")
	ask("POST", tokensPath, adminToken, `{"name":"ci","role":"viewer"}`)
	ask("POST", tokensPath, adminToken, `{"name":"admin","role":"viewer"}`)
	ask("POST", tokensPath, adminToken, `{"name":"a b","role":"viewer"}`)
	ask("POST", tokensPath, adminToken, `{"name":"t","role":"tenant"}`)
	ask("POST", tokensPath, adminToken, `{"name":"t","role":"viewer","expires":"tomorrow"}`)
	ask("POST", tokensPath, operatorToken, `{"name":"t","role":"viewer"}`)
	ask("DELETE", tokensPath+"/ci", operatorToken, "")
	ask("DELETE", tokensPath+"/root", adminToken, "")
	ask("DELETE", tokensPath+"/operator", adminToken, "")
	ask("DELETE", tokensPath+"/other", adminToken, "")
	ask("DELETE", tokensPath+"/"+ci, adminToken, "")
	s.now = noon.Add(time.Hour)
	ask("GET", "/v1/members", ci, "")
	ask("GET", tokensPath+"/ci", adminToken, "")
	ask("DELETE", tokensPath+"/ci", adminToken, "")
	ask("GET", "/v1/members", ci, "")
	next := ask("POST", tokensPath, adminToken, `{"name":"ci","role":"admin"}`)
	s.kept.Inject(func(store.Call) store.Fault { return store.Full })
	ask("POST", tokensPath, adminToken, `{"name":"more","role":"viewer"}`)
	ask("DELETE", tokensPath+"/ci", adminToken, "")
	ask("GET", "/v1/members", next, "")
	ask("GET", tokensPath+"/ci", adminToken, "")
	s.kept.Inject(nil)
	ask("DELETE", tokensPath+"/ci", adminToken, "")
	golden.Compare(t, "testdata/tokens.txt", []byte(got.String()))
}

// TestRevokedTokenEndsStreams: event streams and streams of intents end at once, and say why.
func TestRevokedTokenEndsStreams(t *testing.T) {
	for _, c := range [][2]string{{"revoked", "HTTP/1.1"}, {"expired", "HTTP/1.1"}, {"revoked", "HTTP/2.0"}} {
		how := c[0]
		t.Run(how+" "+c[1], func(t *testing.T) {
			own := httptest.NewUnstartedServer(nil)
			own.EnableHTTP2 = true
			own.StartTLS()
			own.Close()
			scheme, with := "http://", http.DefaultClient
			s, _ := newSmallWith(t, func(cfg *Config) {
				if c[1] == "HTTP/2.0" {
					scheme, with = "https://", own.Client()
					cfg.TLS = &tls.Config{Certificates: own.TLS.Certificates}
				}
			})
			addr, end := s.serve(t)
			defer end()
			addr = scheme + addr
			ci := s.made(t, `{"name":"ci","role":"operator","expires":"2026-11-20T13:00:00Z"}`)
			events, err := openStream(t, with, "GET", addr+eventsPath, ci, nil)
			if err != nil {
				t.Fatal(err)
			}
			other, err := openStream(t, with, "GET", addr+eventsPath+"?kind=host", viewerToken, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer other.close()
			if events.proto != c[1] {
				t.Fatalf("by %s", events.proto)
			}
			other.want("e.2")
			body, sender := io.Pipe()
			defer sender.Close()
			go io.WriteString(sender, "{"+across+"}\n")
			answers, err := openStream(t, with, "POST", addr+"/v1/intents", ci, body)
			if err != nil {
				t.Fatal(err)
			}
			if !answers.lines.Scan() || !strings.Contains(answers.lines.Text(), `"accepted"`) {
				t.Fatalf("%s", answers.lines.Text())
			}
			events.want("e.2")
			began := time.Now()
			if how == "revoked" {
				if w := s.write("DELETE", tokensPath+"/ci", adminToken, ""); w.Code != 204 {
					t.Fatalf("status %d: %s", w.Code, w.Body)
				}
			} else {
				s.issued.Expire(noon.Add(time.Hour))
			}
			want := map[string]string{"revoked": `token \"ci\" was revoked`,
				"expired": `token \"ci\" was valid until 2026-11-20T13:00:00Z`}[how]
			last := remaining(events)
			if !strings.Contains(last, "event: problem\ndata: {\"title\":\"Unauthorized\",\"status\":401,\"detail\":\""+want) {
				t.Errorf("events end with %q", last)
			}
			if last := remaining(answers); !strings.Contains(last, `{"index":1,"status":"failed","detail":"the stream is ended: `+want) {
				t.Errorf("answers end with %q", last)
			}
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("it took %v", took)
			}
			s.hostTx([]byte{9}, nil)
			if e := other.event(); !strings.HasSuffix(e, "host put 00:00:00:00:00:09") {
				t.Errorf("the other stream has %s", e)
			}
			if a := s.audits(); !strings.Contains(a, "POST /v1/intents [a stream of intents] failed 401") {
				t.Errorf("the log has %s", a)
			}
		})
	}
}

// remaining is what follows on a stream until its end.
func remaining(w *watch) string {
	var b strings.Builder
	for w.lines.Scan() {
		b.WriteString(w.lines.Text() + "\n")
	}
	return b.String()
}

// TestRevokedTokenEndsStreamOfWhoDoesNotRead: a client that takes nothing keeps no stream.
func TestRevokedTokenEndsStreamOfWhoDoesNotRead(t *testing.T) {
	s := newSmall(t, nil)
	addr, end := s.serve(t)
	defer end()
	ci := s.made(t, `{"name":"ci","role":"viewer"}`)
	events, err := openStream(t, http.DefaultClient, "GET", "http://"+addr+eventsPath, ci, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer events.close()
	for i := range 40_000 { // more than the system keeps for it
		s.hostTx([]byte{byte(i)}, nil)
	}
	s.write("DELETE", tokensPath+"/ci", adminToken, "")
	for began := time.Now(); s.Server.events.watchers.Load() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal("the stream is open")
		}
	}
}

// TestWatchOfRevokedToken: the client says why, and does not connect again.
func TestWatchOfRevokedToken(t *testing.T) {
	s := newSmall(t, nil)
	addr, end := s.serve(t)
	defer end()
	c, err := client.New(client.Config{Address: addr, Token: s.made(t, `{"name":"ci","role":"viewer"}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Watch(t.Context(), client.Watch{After: "unknown"}, func(e client.Event) error {
		if e.Kind == client.EventSynced {
			s.write("DELETE", tokensPath+"/ci", adminToken, "")
		}
		return nil
	})
	var p *client.Problem
	if !errors.As(err, &p) || p.Status != http.StatusUnauthorized || !strings.Contains(p.Detail, "was revoked") {
		t.Errorf("%v", err)
	}
}

// openStream opens a stream of events, or of intents, with a token.
func openStream(t *testing.T, with *http.Client, method, url, token string, body io.Reader) (*watch, error) {
	req, _ := http.NewRequestWithContext(t.Context(), method, url, body)
	req.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		req.Header.Set("Content-Type", lineStream)
	}
	resp, err := with.Do(req)
	if err != nil {
		return nil, err
	}
	return newWatch(t, resp), nil
}

// TestKnownTokensAreHidden: one in a wrong place does not come into the log.
func TestKnownTokensAreHidden(t *testing.T) {
	s := newSmall(t, nil)
	ci := s.made(t, `{"name":"ci","role":"viewer"}`)
	if !s.issued.Knows(sha256.Sum256([]byte(ci))) {
		t.Error("not known")
	}
	s.write("GET", "/v1/links?ci="+ci, viewerToken, "")
	s.write("POST", "/v1/nothing/"+ci, operatorToken, `{"x":"`+ci+`"}`)
	s.write("POST", "/v1/drain", operatorToken, `{"kind":"switch","object":"`+ci+`"}`)
	if a := s.audits(); strings.Contains(a, ci[5:]) {
		t.Errorf("the log has it: %s", a)
	}
}
