//go:build real && long && linux

package attach_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/control"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
)

const patience = 20 * time.Second

// TestMeasureStreams prints what one TCP connection of iperf3 carries between two namespaces over
// one emulated switch, by kind of device.
func TestMeasureStreams(t *testing.T) {
	need.Program(t, "iperf3")
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		for _, kind := range []attach.Kind{attach.TAP, attach.VETH} {
			var mbps []float64
			var lost uint64
			stream(t, l, kind, func(run func() float64, counters func() attach.Counters) {
				for range 5 {
					mbps = append(mbps, run())
				}
				lost = counters().Lost
			})
			slices.Sort(mbps)
			fmt.Printf("| %s | %.0f (%.0f – %.0f) | %d |\n", kind, mbps[2], mbps[0], mbps[4], lost)
		}
	})
}

// stream runs a network while use is called, with a function that runs iperf3 and says how many
// Mbit/s came.
func stream(t *testing.T, l *netlab.Lab, kind attach.Kind, use func(run func() float64, counters func() attach.Counters)) {
	t.Helper()
	top, err := topo.Parse("single:1,hosts=0", 1)
	if err != nil {
		t.Fatal(err)
	}
	r := hub.StartReactive(t, [2]uint32{1, 2})
	n, err := emu.New(emu.Config{Topology: top, Controllers: []string{r.Address()}, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := control.New(control.Config{Network: n})
	var attached []*control.Attached
	for i := 1; i <= 2; i++ {
		l.Run("ip", "netns", "add", fmt.Sprintf("%s%d", kind, i))
		s, err := attach.Parse(fmt.Sprintf("s1=eth0,type=%s,netns=%s%d,address=10.0.0.%d/24", kind, kind, i, i))
		if err != nil {
			t.Fatal(err)
		}
		a, err := d.Attach(s)
		if err != nil {
			t.Fatal(err)
		}
		attached = append(attached, a)
	}
	if err := n.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := r.Ready(ctx); err != nil {
		t.Fatal(err)
	}
	l.Start("ip", "netns", "exec", fmt.Sprintf("%s2", kind), "iperf3", "-s")
	time.Sleep(time.Second)
	use(func() float64 {
		out := l.Run("ip", "netns", "exec", fmt.Sprintf("%s1", kind), "iperf3", "-c", "10.0.0.2", "-t", "4", "-O", "1", "-J")
		var got struct {
			End struct {
				Sum struct {
					BPS float64 `json:"bits_per_second"`
				} `json:"sum_received"`
			} `json:"end"`
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		return got.End.Sum.BPS / 1e6
	}, func() (sum attach.Counters) {
		for _, a := range attached {
			sum.Lost += a.Cable.Counters().Lost
		}
		return sum
	})
	ctx, cancel = context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := n.Close(ctx); err != nil {
		t.Error(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
