//go:build real && long && linux

package campaign_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/campaign"
)

// TestMeasureStreams prints what streams are over Open vSwitch's userspace datapath, beside the paper's
// loads.
func TestMeasureStreams(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := switched(t, l)
		for _, rate := range []float64{0, 250e6, 375e6} {
			load := campaign.Load{}
			if rate > 0 {
				load = campaign.Load{From: at[2:], Rate: rate}
			}
			for _, proto := range []campaign.Proto{campaign.UDP, campaign.TCP} {
				c := campaign.Streams{From: at[0], To: at[1], Proto: proto, Time: 3 * time.Second, Runs: 3, Load: load,
					Limits: probe.Limits{Foreign: 0.1}}
				r, _, err := c.Run(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				fmt.Println(r.Title)
				for _, x := range r.Results {
					fmt.Printf("| %s | %s", x.Subject, x.Refused)
					for _, m := range x.Measures {
						fmt.Printf(" | %s %.4g %s", m.Name, m.Median, m.Unit)
					}
					fmt.Println(" |")
				}
			}
		}
	})
}
