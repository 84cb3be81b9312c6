package stats

import (
	"testing"
	"time"

	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/openflow"
)

// TestForget: what was heard of a switch without a session is forgotten on request, of one that has
// one it is not.
func TestForget(t *testing.T) {
	c, now := NewCore(Config{}), time.Unix(1000, 0)
	up := func(dpid netview.DPID) Input { return Up{Address{dpid, uint64(dpid)}, openflow.V13} }
	c.Step([]Input{up(1), up(2), Down{Address{1, 1}}}, now)
	ready := c.Step([]Input{Forgotten{1}, Forgotten{2}, Forgotten{3}}, now)
	if len(c.devices) != 1 || c.devices[2] == nil || c.gone != 0 || len(ready.Gone) != 1 || ready.Gone[0] != 1 {
		t.Errorf("%d switches, %d gone, told %v", len(c.devices), c.gone, ready.Gone)
	}
}
