//go:build real && linux

package profile_test

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/attach"
	"github.com/weirnet/weir/emu/desk"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
)

// emulated is one emulated switch between two hosts in namespaces, joined to it by TAP devices.
type emulated struct {
	r    *hub.Reactive
	a, b *netlab.Host
	net  *emu.Network
}

// emulate runs a switch of a profile, whose hosts' names begin with a prefix, until stop is called.
func emulate(t *testing.T, l *netlab.Lab, p profile.Profile, prefix string) (e *emulated, stop func()) {
	t.Helper()
	top, err := topo.Parse("single:1,hosts=0", 1)
	if err != nil {
		t.Fatal(err)
	}
	e = &emulated{r: hub.StartReactive(t, [2]uint32{1, 2})}
	e.net, err = emu.New(emu.Config{Topology: top, Versions: []openflow.Version{openflow.V13}, Controllers: []string{e.r.Address}, Profile: p, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := desk.New(desk.Config{Network: e.net})
	for i, to := range []**netlab.Host{&e.a, &e.b} {
		name := fmt.Sprintf("%s%d", prefix, i)
		l.Run("ip", "netns", "add", name)
		address := netip.AddrFrom4([4]byte{10, 0, 0, byte(i + 1)})
		s, err := attach.Parse(fmt.Sprintf("s1:%d=eth0,netns=%s,address=%s/24", i+1, name, address))
		if err != nil {
			t.Fatal(err)
		}
		a, err := d.Attach(s)
		if err != nil {
			t.Fatal(err)
		}
		*to = l.Adopt(name, "eth0", a.Cable.Device().MAC().String(), address)
	}
	e.a.Know(e.b)
	e.b.Know(e.a)
	if err := e.net.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	l.Eventually(patience, "the switch is connected", func() bool { return e.r.Ready(t.Context()) })
	for _, h := range []*netlab.Host{e.a, e.b} {
		l.Eventually(patience, "the device has a carrier", func() bool { return strings.Contains(h.Run("ip", "link", "show", "eth0"), ",LOWER_UP") })
	}
	return e, func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := e.net.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// measured are the figures of a profile's switch, by payload; there is a pause before each ping.
func measured(t *testing.T, l *netlab.Lab, p profile.Profile, prefix string, payloads []int, times int, pause time.Duration) map[int]*figures {
	t.Helper()
	e, stop := emulate(t, l, p, prefix)
	defer stop()
	got := map[int]*figures{}
	for _, payload := range payloads {
		f := new(figures)
		f.pings(t, l, e.r, e.a, e.b, payload, times, func() { time.Sleep(pause) })
		got[payload] = f
	}
	return got
}

func named(t *testing.T, name string) profile.Profile {
	t.Helper()
	p, err := profile.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProfilesAsPingSeesThem measures profiles from outside, by ping between namespaces, beside an ideal switch in the same run: no time is
// shorter than was promised, and none longer than what the same way costs without a promise, by much. How exactly they are
// kept on a quiet machine is in docs/benchmarks/profiles.md.
func TestProfilesAsPingSeesThem(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		payloads := []int{1500, 10000, 65000}
		ideal := measured(t, l, named(t, "ideal"), "i", payloads, 3, 0)
		for _, name := range []string{"ovs", "aruba-3810m"} {
			p := named(t, name)
			p.PathLatency.P90, p.FlowSetup.P90 = 0, 0 // a few pings must do: no chance
			got := measured(t, l, p, name[:1], payloads, 3, 0)
			for _, payload := range payloads {
				f, free := got[payload], ideal[payload]
				between(t, fmt.Sprintf("%s: path latency at %d bytes", name, payload), median(f.path), p.PathLatency.At(payload), median(free.path))
				between(t, fmt.Sprintf("%s: first path latency at %d bytes", name, payload), median(f.begun),
					p.PathLatency.At(payload)+p.FlowSetup.At(payload), median(free.begun))
			}
		}
	})
}

// between wants a time that is four fifths of what was promised at least, and at most twice as much, and five times what it takes anyway, and a
// little: TAP devices, the kernel, the controller and all else that this machine does take their time.
func between(t *testing.T, what string, got, promised, anyway time.Duration) {
	t.Helper()
	t.Logf("%s: %v, promised %v; of an ideal switch %v", what, got.Round(time.Microsecond), promised.Round(time.Microsecond), anyway.Round(time.Microsecond))
	if least, most := promised*4/5, 2*promised+5*anyway+5*time.Millisecond; got < least || got > most {
		t.Errorf("%s: %v, want from %v to %v", what, got, least, most)
	}
}
