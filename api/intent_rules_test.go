package api

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// TestRulesOfIntents are listed for one switch only.
func TestRulesOfIntents(t *testing.T) {
	s := newSmall(t, func(c *Config) {
		c.IntentRules = func(dpid netview.DPID) []*netview.Rule {
			return []*netview.Rule{{
				DPID: dpid, Owner: "intent 7", Table: 1, Priority: 20100, Cookie: 0x0014_0000_0007_0001, Match: testMatch(),
				Instructions: []openflow.Instruction{openflow.Apply(openflow.Output(1))}, State: netview.RulePending,
			}}
		}
	})
	for path, want := range map[string]int{"/v1/flows?dpid=1": 1, "/v1/flows?dpid=2": 1, "/v1/flows": 0} {
		w := s.get(path)
		if n := strings.Count(w.Body.String(), `"intent 7"`); w.Code != 200 || n != want {
			t.Errorf("%s: %d, %d rules of intents, want %d", path, w.Code, n, want)
		}
	}
}
