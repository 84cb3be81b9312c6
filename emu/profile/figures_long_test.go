//go:build real && long && linux

package profile_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/netlab"
)

// TestMeasureOpenvSwitch takes the figures of the profile ovs from a real Open vSwitch with its
// userspace datapath: two hosts in namespaces, a controller that answers at once, and ping. `make
// bench-profiles` prints them; WEIR_PINGS is how many of each payload.
func TestMeasureOpenvSwitch(t *testing.T) {
	times := wanted()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		r := hub.StartReactive(t, [2]uint32{1, 2})
		o := l.StartOVS()
		o.AddBridge("s1", 1, "1.3", "tcp:"+r.Address())
		a, b := o.AddHost("s1", 1), o.AddHost("s1", 2)
		a.Know(b)
		b.Know(a)
		connected(t, r)
		fmt.Println(header)
		for _, payload := range []int{56, 1500, 10000, 65000} {
			var f figures
			f.pings(t, r, a, b, payload, times, func() { o.Appctl("revalidator/wait") })
			fmt.Println(f.row("Open vSwitch", payload))
		}
		r.SetDelay(5 * time.Millisecond)
		var f figures
		f.pings(t, r, a, b, 56, times, func() { o.Appctl("revalidator/wait") })
		fmt.Println(f.row("Open vSwitch, controller waits 5 ms", 56))
	})
}

// TestMeasureProfiles takes the figures of emulated switches of each profile in the same way, from
// outside, and says what was promised. What an ideal switch takes is what TAP devices, the kernel
// and the emulator's engine take.
func TestMeasureProfiles(t *testing.T) {
	times := wanted()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		payloads := []int{56, 1500, 10000, 65000}
		fmt.Println(header)
		var kept []string
		for _, name := range profile.Names() {
			p := named(t, name)
			got := measured(t, l, p, name[:1], payloads, times, apart)
			for _, payload := range payloads {
				f := got[payload]
				fmt.Println(f.row(name, payload))
				if name == "ideal" {
					continue
				}
				kept = append(kept, promise(name, "path latency", payload, median(f.path), p.PathLatency.At(payload)),
					promise(name, "flow set-up", payload, median(f.setup), p.FlowSetup.At(payload)))
			}
		}
		fmt.Println("\n| profile | what | payload | promised | measured | ratio |\n|---|---|---|---|---|---|")
		fmt.Println(strings.Join(kept, "\n"))
	})
}

// apart is how long flows are apart for which the emulator draws lots of their own.
const apart = 1100 * time.Millisecond

func promise(name, what string, payload int, got, promised time.Duration) string {
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %.2f |", name, what, payload, promised.Microseconds(),
		got.Microseconds(), float64(got)/float64(promised))
}

// wanted is how many pings of each payload there are to be.
func wanted() int {
	if n, err := strconv.Atoi(os.Getenv("WEIR_PINGS")); err == nil && n > 0 {
		return n
	}
	return 10
}
