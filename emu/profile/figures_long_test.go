//go:build real && long && linux

package profile_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe/nic"
)

// TestMeasureOpenvSwitch takes the figures of the profile ovs from a real Open vSwitch with its
// userspace datapath, between interfaces in two namespaces, with a controller that answers at once and
// with one that waits. `make bench-profiles` prints them; WEIR_PINGS is how many flows of each payload.
func TestMeasureOpenvSwitch(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		c := hub.StartController(t)
		o := l.StartOVS()
		o.AddBridge("s1", 1, "1.3", "tcp:"+c.Address())
		var ends []nic.Config
		for port := range 2 {
			h := o.AddHost("s1", port+1)
			ends = append(ends, nic.Config{Interface: h.Dev, Namespace: h.Netns, State: t.TempDir()})
		}
		for _, wait := range []time.Duration{0, 5 * time.Millisecond} {
			c.SetDelay(wait)
			r, _ := setup(t, c, ends, wanted(), 0)
			fmt.Printf("Open vSwitch, the controller waits %v\n", wait)
			printed(t, r)
		}
	})
}

// TestMeasureProfiles takes the figures of emulated switches of each profile in the same way, and says
// what was promised. What an ideal switch takes is what TAP devices, the kernel and the emulator's
// engine take.
func TestMeasureProfiles(t *testing.T) {
	flows := wanted()
	netlab.Inside(t, func(t *testing.T, _ *netlab.Lab) {
		var kept []string
		for _, name := range profile.Names() {
			p := named(t, name)
			r, _ := emulated(t, p, flows, apart)
			fmt.Println(name)
			printed(t, r)
			for i, payload := range payloads {
				if name != "ideal" {
					kept = append(kept, promise(r.Results[i], name, "later path latency", payload, p.PathLatency.At(payload)),
						promise(r.Results[i], name, "flow set-up", payload, p.FlowSetup.At(payload)))
				}
			}
		}
		fmt.Println("\n| profile | what | payload | promised | measured | ratio |\n|---|---|---|---|---|---|")
		fmt.Println(strings.Join(kept, "\n"))
	})
}

// apart is how long flows are apart for which the emulator draws lots of their own.
const apart = 1100 * time.Millisecond

func printed(t *testing.T, r *report.Report) {
	t.Helper()
	if err := r.Print(os.Stdout); err != nil {
		t.Fatal(err)
	}
}

// promise is a line of a table, in microseconds.
func promise(x *report.Result, name, what string, payload int, promised time.Duration) string {
	line := fmt.Sprintf("| %s | %s | %d | %d |", name, what, payload, promised.Microseconds())
	m := x.Measure(what)
	if m == nil {
		return fmt.Sprintf("%s %s | – |", line, x.Refused)
	}
	return fmt.Sprintf("%s %.0f | %.2f |", line, m.Median, m.Median/report.Microseconds(promised))
}

// wanted is how many flows of each payload there are to be.
func wanted() int {
	if n, err := strconv.Atoi(os.Getenv("WEIR_PINGS")); err == nil && n > 1 {
		return n
	}
	return 10
}
