package api

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/netview"
)

// checked is a comparison that found something at one of two switches.
func checked(context.Context) (*client.Check, netview.Revision, error) {
	return &client.Check{Switches: []client.SwitchCheck{
		{DPID: "0000000000000001", Reached: true, Wanted: 3, Compared: 2, InFlight: 1, Foreign: 4,
			Differences: []client.Difference{
				{Kind: "changed", Table: 1, Priority: 5002, Match: "{eth_type=0x0806}", Owner: "forward", Wanted: "w", Held: "h"},
			}},
		{DPID: "0000000000000002", Error: "the switch did not answer", Differences: []client.Difference{}},
	}}, 1, nil
}

func synced(dpid netview.DPID) (*client.Sync, netview.Revision) {
	return &client.Sync{State: "lying", Watch: "reading", BoundS: 5.5, Batch: 64, BarrierMS: 3}, 1
}

func TestCheckAndSync(t *testing.T) {
	s := newSmall(t, func(*Config) {})
	var c client.Check
	var sw client.Switch
	for path, v := range map[string]any{"/v1/check": &c, "/v1/switches/1": &sw} {
		if err := json.Unmarshal(s.get(path).Body.Bytes(), v); err != nil {
			t.Fatal(err)
		}
	}
	if c.Agrees || c.Revision == "" || len(c.Switches) != 2 || c.Switches[0].Differences[0].Kind != "changed" ||
		c.Switches[1].Reached {
		t.Errorf("check: %+v", c)
	}
	if sw.Sync == nil || sw.Sync.State != "lying" || sw.Sync.BoundS != 5.5 || sw.Sync.Revision == "" {
		t.Errorf("sync: %+v", sw.Sync)
	}
}
