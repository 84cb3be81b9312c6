package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/golden"
)

// TestGolden asks every route, well and badly, and compares status and body with
// testdata/routes.txt.
func TestGolden(t *testing.T) {
	s := newSmall(t, func(c *Config) { c.Limits.AskWait, c.Limits.AtLeastWait = time.Millisecond, time.Millisecond })
	ids := 0
	s.pages.newID = func() string { ids++; return fmt.Sprintf("%032x", ids) }
	var got bytes.Buffer
	for _, path := range []string{
		"/v1/members", "/v1/apps", "/v1/switches", "/v1/switches/0000000000000001", "/v1/switches/0x2",
		"/v1/switches/1/ports", "/v1/switches/2/ports", "/v1/switches/1/tables", "/v1/switches/2/tables",
		"/v1/switches/1/counters", "/v1/switches/2/counters", "/v1/switches/1/flows", "/v1/links", "/v1/hosts",
		"/v1/hosts/00:00:00:00:00:01", "/v1/hosts/00:00:00:00:00:02/7", "/v1/hosts/00:00:00:00:00:02%2F7",
		"/v1/flows", "/v1/flows?dpid=2", "/v1/flows?dpid=9",
		"/v1/paths?src=1&dst=2", "/v1/paths?src=00:00:00:00:00:01&dst=00:00:00:00:00:02/7&k=3&disjoint=link",
		"/v1/paths?src=1&dst=1",
		"/v1/switches?limit=1", "/v1/switches?continue=00000000000000000000000000000001.1", "/v1/links?at_least=e.2",
		"/healthz", "/readyz",
		// refused
		"/v1/switches/3", "/v1/switches/zz", "/v1/switches/3/ports", "/v1/switches/3/tables",
		"/v1/switches/x/counters", "/v1/switches/2/flows", "/v1/hosts/00:00:00:00:00:09", "/v1/hosts/x",
		"/v1/hosts/00:00:00:00:00:02/9999",
		"/v1/flows?dpid=x", "/v1/flows?dipd=1", "/v1/links?limit=0", "/v1/links?limit=x",
		"/v1/switches?continue=junk", "/v1/links?continue=00000000000000000000000000000001.1",
		"/v1/switches?continue=ff0102030405060708090a0b0c0d0e0f.1",
		"/v1/flows?limit=1", "/v1/flows?dpid=2&continue=00000000000000000000000000000002.1",
		"/v1/links?at_least=junk", "/v1/links?at_least=other.1", "/v1/links?at_least=e.99",
		"/v1/paths?src=1", "/v1/paths?src=1&dst=9", "/v1/paths?src=x&dst=1", "/v1/paths?src=1&dst=2&k=65",
		"/v1/paths?src=1&dst=2&disjoint=maybe",
		"/v1/events?kind=flow", "/v2",
		// by name and address; alarms; what is drained; the configuration; the log
		"/v1/paths?src=s1&dst=s2", "/v1/paths?src=10.0.0.1&dst=00:00:00:00:00:00:00:02",
		"/v1/paths?src=10.0.0.9&dst=s2", "/v1/paths?src=2001:db8::1&dst=s2", "/v1/paths?src=s1&dst=nowhere",
		"/v1/alarms", "/v1/alarms?all=true", "/v1/drain", "/v1/config", "/v1/audit",
		// groups and meters: of all switches, of one, page by page; of one that has none, and of none
		"/v1/groups", "/v1/groups?dpid=2", "/v1/groups?dpid=0x1&limit=1",
		"/v1/groups?dpid=1&continue=00000000000000000000000000000003.1",
		"/v1/meters?continue=00000000000000000000000000000003.1", "/v1/meters", "/v1/meters?dpid=1",
		"/v1/groups?dpid=9", "/v1/meters?dpid=x", "/v1/meters?limit=0",
	} {
		w := s.get(path)
		fmt.Fprintf(&got, "GET %s\n%d %s\n", path, w.Code, w.Header().Get("Content-Type"))
		if json.Valid(w.Body.Bytes()) {
			json.Indent(&got, w.Body.Bytes(), "", "  ")
		} else {
			got.Write(w.Body.Bytes())
		}
		got.WriteString("\n")
	}
	golden.Compare(t, "testdata/routes.txt", got.Bytes())
}
