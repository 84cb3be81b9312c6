package api

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/internal/golden"
	"github.com/weirnet/weir/netview"
)

// forgetter forgets nothing, and counts what it is asked to.
type forgetter struct {
	small *small
	done  []string
}

func (f *forgetter) Switch(_ context.Context, dpid netview.DPID, how ForgetOptions) (*client.Forgotten, netview.Revision, error) {
	if dpid == 1 && !how.DryRun {
		return nil, 0, fmt.Errorf("%w: stop it first", ErrConnected)
	}
	return f.forget("switch", dpid.String(), how)
}

func (f *forgetter) Host(_ context.Context, id netview.HostID, how ForgetOptions) (*client.Forgotten, netview.Revision, error) {
	if _, ok := f.small.view.Snapshot().Host(id); !ok {
		return nil, 0, ErrNotThere
	}
	return f.forget("host", id.String(), how)
}

func (f *forgetter) forget(kind, object string, how ForgetOptions) (*client.Forgotten, netview.Revision, error) {
	if f.small.broken != nil && !how.DryRun {
		return nil, 0, fmt.Errorf("%w: %w", ErrNotKept, f.small.broken)
	}
	withdrawn := 0
	if how.Withdraw {
		withdrawn = 3
	}
	if !how.DryRun {
		f.done = append(f.done, fmt.Sprint(kind, " ", object, " ", how.Withdraw))
	}
	none := client.Some{First: []string{}}
	return &client.Forgotten{Kind: kind, Object: object, DryRun: how.DryRun, Links: none, Hosts: none, Withdrawn: withdrawn,
		Intents: client.DependentIntents{Ends: none, Passing: none, Withdrawing: none}, Drains: []string{},
		Named: []string{}, Notes: []string{}}, 2, nil
}

// TestForgettingIsAudited compares what requests to forget answer, and what the log then says, with
// testdata/forget.txt.
func TestForgettingIsAudited(t *testing.T) {
	f := &forgetter{}
	s := newSmall(t, func(c *Config) { c.Forgetter = f })
	f.small = s
	var got strings.Builder
	ask := func(path, token string) {
		w := s.write("DELETE", path, token, "")
		name := map[string]string{adminToken: "admin", operatorToken: "operator", viewerToken: "viewer"}[token]
		fmt.Fprintf(&got, "DELETE %s as %q\n%d %s\n%s\n", path, name, w.Code, strings.TrimSpace(w.Body.String()), s.audits())
	}
	for _, path := range []string{
		"/v1/switches/2", "/v1/switches/2?withdraw=true", "/v1/switches/2?withdraw=true&dry_run=true",
		"/v1/switches/1", "/v1/switches/1?dry_run=true",
		"/v1/hosts/00:00:00:00:00:01", "/v1/hosts/00:00:00:00:00:02/7?withdraw=true",
		"/v1/hosts/00:00:00:00:00:02%2F7?dry_run=true",
		// refused
		"/v1/switches/9", "/v1/switches/s1", "/v1/switches/2?withdraw=maybe", "/v1/switches/2?dryrun=true",
		"/v1/hosts/00:00:00:00:00:09", "/v1/hosts/x", "/v1/hosts/00:00:00:00:00:02/9999",
	} {
		ask(path, operatorToken)
	}
	ask("/v1/switches/2", viewerToken)
	ask("/v1/switches/2?dry_run=true", viewerToken)
	ask("/v1/hosts/00:00:00:00:00:01", "wrong")
	s.broken = errors.New("disk quota exceeded")
	ask("/v1/switches/2", operatorToken)
	s.broken = nil
	s.log.broken = errors.New("no space left on device")
	ask("/v1/switches/2", operatorToken)
	golden.Compare(t, "testdata/forget.txt", []byte(got.String()))
	if want := "[switch 0000000000000002 false switch 0000000000000002 true host 00:00:00:00:00:01 false host 00:00:00:00:00:02/7 true]"; fmt.Sprint(f.done) != want {
		t.Errorf("forgotten: %v", f.done)
	}
}

// TestOnlyADryRunForgetsUnaudited: a query that net/http and the handler read differently is no way
// around the log.
func TestOnlyADryRunForgetsUnaudited(t *testing.T) {
	for _, query := range []string{"dry_run=%zz&dry_run=true", "dry_run=;&dry_run=true",
		"dry_run=true&dry_run=false", "dry%5frun=true", "x=%zz&dry_run=true", "dry_run", "dry_run=1"} {
		f := &forgetter{}
		s := newSmall(t, func(c *Config) { c.Forgetter = f })
		f.small = s
		r := httptest.NewRequest("DELETE", "/v1/switches/2", nil)
		r.Host, r.URL.RawQuery = "127.0.0.1:8181", query
		r.Header.Set("Authorization", "Bearer "+operatorToken)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if len(f.done) > 0 && len(s.log.records) != 2 {
			t.Errorf("%s: forgotten with %d records: %d %s", query, len(s.log.records), w.Code, w.Body)
		}
	}
}
