//go:build real && linux

package campaign_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/campaign"
)

// TestRealSwitches: a Linux bridge, and Open vSwitch with its userspace datapath, carry every echo,
// and either have a result or are too fast for a machine as busy as this one.
func TestRealSwitches(t *testing.T) {
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		const count = 10
		at := ends(t, l, 1500)
		o := l.StartOVS()
		o.AddBridge("s1", 1, "1.3")
		o.Ofctl("1.3", "add-flow", "s1", "actions=normal")
		for name, join := range map[string]struct{ plug, pull func(port string, number int) }{
			"Open vSwitch": {
				func(port string, number int) { o.AddPort("s1", port, number) },
				func(port string, _ int) { o.Vsctl("del-port", "s1", port) },
			},
			"bridge": {
				func(port string, number int) {
					if number == 1 {
						l.Run("ip", "link", "add", "name", "br", "type", "bridge")
						l.Run("ip", "link", "set", "dev", "br", "up")
					}
					l.Run("ip", "link", "set", "dev", port, "master", "br")
				},
				func(port string, _ int) { l.Run("ip", "link", "set", "dev", port, "nomaster") },
			},
		} {
			for i := range at {
				join.plug(fmt.Sprintf("p%d", i), i+1)
			}
			for _, six := range []bool{false, true} {
				c := campaign.Latency{From: at[0], To: at[1], Count: count, Interval: soon, Six: six,
					Limits: probe.Limits{Foreign: 1}}
				r, samples := measure(t, &c)
				for i, size := range c.Sizes {
					why := r.Results[i].Refused
					if n := bySize(samples)[size]; n != count || why != "" && !strings.HasPrefix(why, probe.ErrSpread.Error()) {
						t.Errorf("%s, IPv6 %v: %d echoes of %d bytes, want %d; refused as %q", name, six, n, size, count, why)
					}
				}
			}
			for i := range at {
				join.pull(fmt.Sprintf("p%d", i), i+1)
			}
		}
	})
}
