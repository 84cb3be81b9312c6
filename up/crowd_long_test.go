//go:build long

package up

import (
	"context"
	"testing"
	"time"

	"github.com/weirnet/weir/api/client"
	"github.com/weirnet/weir/node"
)

// Ten thousand switches with twenty thousand links are found, and in the minute that follows none
// of them is believed to be lost, on a machine that has little time for all of it.
func TestTenThousandSwitches(t *testing.T) {
	ctx, end := context.WithTimeout(t.Context(), 10*time.Minute)
	defer end()
	cfg := Config{Node: node.Defaults()}
	cfg.Network.Topology = topology(t, "torus:100x100,hosts=0")
	cfg.Node.API.Listen, cfg.Node.OpenFlow.Listen = "127.0.0.1:0", "127.0.0.1:0"
	cfg.Node.API.Auth, cfg.Node.DataDir = "none", t.TempDir()
	var at node.Addresses
	cfg.Ready = func(a node.Addresses, _ string) { at = a }
	whole := false
	cfg.Complete = func(s *State) {
		whole = true
		t.Logf("all found after %s", s.Answered)
		time.AfterFunc(time.Minute, end)
	}
	cfg.Show = func(s *State) {
		if !whole || s.Switches == (Progress{10_000, 10_000}) && s.Links == (Progress{20_000, 20_000}) && s.Alarms == 0 {
			return
		}
		t.Errorf("later: %+v", s)
		if c, err := client.New(client.Config{Address: at.API}); err == nil {
			defer c.Close()
			if alarms, err := c.Alarms(ctx, true); err == nil && len(alarms.Items) > 0 {
				t.Errorf("%d alarms, the first: %+v", len(alarms.Items), alarms.Items[0])
			}
		}
		end()
	}
	if err := Run(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	if !whole {
		t.Fatal("not all have answered")
	}
}
