//go:build real && long && linux

package profile_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/netlab"
)

// TestMeasureOpenvSwitch takes the figures of the profile ovs from a real Open vSwitch with its userspace datapath: two hosts in
// namespaces, a controller that answers at once, and ping. `make bench-profiles` prints them; WEIR_PINGS is how many of each payload.
func TestMeasureOpenvSwitch(t *testing.T) {
	times := 10
	if n, err := strconv.Atoi(os.Getenv("WEIR_PINGS")); err == nil && n > 0 {
		times = n
	}
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		r := hub.StartReactive(t, [2]uint32{1, 2})
		o := l.StartOVS()
		o.AddBridge("s1", 1, "1.3", "tcp:"+r.Address)
		a, b := o.AddHost("s1", 1), o.AddHost("s1", 2)
		a.Know(b)
		b.Know(a)
		l.Eventually(patience, "the switch is connected", func() bool { return r.Ready(t.Context()) })
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
