//go:build real && linux

package campaign_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/internal/hub"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/nic"
	"github.com/weirnet/weir/probe/twin"
)

// underTest is a switch between two interfaces, under a controller of ours.
type underTest struct {
	controller *controller.Controller
	at         [2]nic.Config
	entries    func() int // that the switch has, with that of the table's miss
	caches     bool       // beside its entries
}

// isReady waits for the switch.
func isReady(t *testing.T, c *controller.Controller) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := c.Ready(ctx); err != nil {
		t.Fatal(err)
	}
}

// interval is from one echo to the next: what a switch has in caches changes later than its entries.
func (u *underTest) interval() time.Duration {
	if u.caches {
		return 20 * time.Millisecond
	}
	return soon
}

// openvSwitch is a bridge of a real Open vSwitch.
func openvSwitch(t *testing.T, l *netlab.Lab, version string) *underTest {
	t.Helper()
	u, _ := bridged(t, l, version)
	return u
}

// bridged is openvSwitch with the Open vSwitch that has the bridge.
func bridged(t *testing.T, l *netlab.Lab, version string) (u *underTest, o *netlab.OVS) {
	t.Helper()
	u, o = &underTest{controller: hub.StartController(t), caches: true}, l.StartOVS()
	o.AddBridge("s1", 1, version, "tcp:"+u.controller.Address())
	for i := range u.at {
		h := o.AddHost("s1", i+1)
		h.Run("sysctl", "-q", "-w", "net.ipv6.conf.all.disable_ipv6=1")
		u.at[i] = nic.Config{Interface: h.Dev, Namespace: h.Netns, State: t.TempDir()}
	}
	u.entries = func() int { return strings.Count(o.Ofctl(version, "dump-flows", "s1"), "actions=") }
	isReady(t, u.controller)
	return u, o
}

// emulated is an emulated switch of a profile, with TAP devices as its ports.
func emulated(t *testing.T, v openflow.Version, p profile.Profile) *underTest {
	t.Helper()
	u := &underTest{controller: hub.StartController(t)}
	sw, err := twin.Start(t.Context(), twin.Config{Profile: p, Controller: u.controller.Address(), Seed: 1,
		Versions: []openflow.Version{v}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := sw.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	isReady(t, u.controller)
	u.at, u.entries = [2]nic.Config(sw.Ends), sw.Entries
	return u
}

// eachSwitch has a test be done at Open vSwitch and at an emulated switch, with both versions of
// OpenFlow.
func eachSwitch(t *testing.T, test func(t *testing.T, u *underTest)) {
	for _, v := range []openflow.Version{openflow.V10, openflow.V13} {
		t.Run("Open vSwitch "+v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, l *netlab.Lab) { test(t, openvSwitch(t, l, v.String())) })
		})
		t.Run("emulated "+v.String(), func(t *testing.T) {
			netlab.Inside(t, func(t *testing.T, _ *netlab.Lab) { test(t, emulated(t, v, profile.Profile{})) })
		})
	}
}

// TestSetupOfFlows: the first packet of each flow comes to the controller, both ways, and no other of
// a whole packet does; no flow is missing, and the switch holds nothing in the end. The controller's
// share is a part of the set-up.
func TestSetupOfFlows(t *testing.T) {
	t.Parallel()
	eachSwitch(t, func(t *testing.T, u *underTest) {
		const count = 5
		sizes := []int{56, 10000}
		r, samples := measure(t, &campaign.Setup{Latency: campaign.Latency{From: u.at[0], To: u.at[1], Sizes: sizes,
			Count: count, Interval: u.interval(), Limits: probe.Limits{Foreign: 1}, Controller: u.controller}})
		if len(samples) != count*len(sizes) {
			t.Errorf("%d samples, want %d of %d sizes", len(samples), count, len(sizes))
		}
		var share, sets []time.Duration
		for _, s := range samples {
			most := map[int]int{56: 1, 10000: 7}[s.Size] // fragments
			for way := range s.PacketIns {
				if n := s.PacketIns[way]; n < 1 || n > most || s.Controller[way] <= 0 {
					t.Errorf("%d packet-ins of a packet of %d bytes, %+v", n, s.Size, s)
				}
			}
			if s.Setup != s.First-s.Later || s.PingFirst < s.First {
				t.Errorf("%+v", s)
			}
			share, sets = append(share, s.Share()), append(sets, s.Setup)
		}
		if probe.Median(share) > probe.Median(sets) {
			t.Errorf("the controller's share is %v of %v", probe.Median(share), probe.Median(sets))
		}
		for _, x := range r.Results {
			if x.Refused != "" && !strings.HasPrefix(x.Refused, probe.ErrSpread.Error()) { // the machine is busy
				t.Errorf("%s: %s", x.Subject, x.Refused)
			}
			if !u.caches && strings.Contains(strings.Join(x.Notes, "\n"), "not counted") {
				t.Errorf("%s: %q", x.Subject, x.Notes)
			}
			if m := x.Measure("flow set-up"); x.Refused == "" && (m == nil || len(m.Runs) != count) {
				t.Errorf("%s: %+v", x.Subject, m)
			}
		}
		if n := u.entries(); n != 1 {
			t.Errorf("the switch has %d entries in the end, want that of the table's miss", n)
		}
		var text bytes.Buffer
		if err := campaign.WriteSetups(&text, samples); err != nil || strings.Count(text.String(), "\n") != len(samples)+1 {
			t.Errorf("%v: %s", err, text.String())
		}
	})
}

// TestSetupOfInstalledFlows: nothing comes to the controller where entries were confirmed before.
func TestSetupOfInstalledFlows(t *testing.T) {
	t.Parallel()
	eachSwitch(t, func(t *testing.T, u *underTest) {
		const count = 3
		_, samples := measure(t, &campaign.Setup{Latency: campaign.Latency{From: u.at[0], To: u.at[1], Sizes: []int{10000},
			Count: count, Interval: u.interval(), Limits: probe.Limits{Foreign: 1}, Controller: u.controller,
			Rules: campaign.Installed}})
		if len(samples) != count {
			t.Errorf("%d samples, want %d", len(samples), count)
		}
		for _, s := range samples {
			if s.PacketIns != [2]int{} || s.Share() != 0 {
				t.Errorf("%+v came to the controller", s)
			}
		}
	})
}

// TestSetupIsNotSoonerThanPromised: of an emulated switch that takes its time for flows, both ways
// together, and of a controller that waits, none is found that is shorter.
func TestSetupIsNotSoonerThanPromised(t *testing.T) {
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, _ *netlab.Lab) {
		const wait, count = 5 * time.Millisecond, 4
		p, err := profile.Named("aruba-3810m")
		if err != nil {
			t.Fatal(err)
		}
		p.PathLatency.P90, p.FlowSetup.P90 = 0, 0 // a few flows must do: no chance
		u := emulated(t, openflow.V13, p)
		c := &campaign.Setup{Latency: campaign.Latency{From: u.at[0], To: u.at[1], Sizes: []int{56}, Count: count,
			Limits: probe.Limits{Foreign: 1}, Controller: u.controller}}
		for _, delay := range []time.Duration{0, wait} {
			u.controller.SetDelay(delay)
			_, samples := measure(t, c)
			if len(samples) != count {
				t.Fatalf("%d samples, want %d", len(samples), count)
			}
			for _, s := range samples {
				if promised := p.FlowSetup.At(56); s.First < promised {
					t.Errorf("%+v, promised %v", s, promised)
				}
				if s.Share() < 2*delay {
					t.Errorf("%+v, of a controller that waits %v in each of two flows", s, delay)
				}
			}
		}
	})
}

// TestSetupIsRefused: of a path that is not through the controller's switch, so that no flow is ever
// new; without a controller; without a switch.
func TestSetupIsRefused(t *testing.T) {
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		u, o := bridged(t, l, "1.3")
		o.AddBridge("other", 2, "1.3")
		o.Ofctl("1.3", "add-flow", "other", "actions=normal")
		for i := range u.at {
			h := o.AddHost("other", i+1)
			u.at[i] = nic.Config{Interface: h.Dev, Namespace: h.Netns, State: t.TempDir()}
		}
		c := &campaign.Setup{Latency: campaign.Latency{From: u.at[0], To: u.at[1], Sizes: []int{56}, Count: 2,
			Limits: probe.Limits{Foreign: 1}}, Apart: time.Millisecond}
		if _, _, err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no controller") {
			t.Errorf("without a controller: %v", err)
		}
		c.Controller = u.controller
		r, samples := measure(t, c)
		why := r.Results[0].Refused
		if !strings.HasPrefix(why, probe.ErrNotNew.Error()) || !strings.Contains(why, "3 of 3 flows") {
			t.Errorf("of another switch's path: refused as %q, %d samples", why, len(samples))
		}
		c.Rules = campaign.Installed
		if _, _, err := c.Run(t.Context()); !errors.Is(err, controller.ErrUnseen) {
			t.Errorf("of another switch's path: %v", err)
		}
		c.Controller = hub.StartController(t)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := c.Run(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no switch") {
			t.Errorf("without a switch: %v", err)
		}
	})
}

// TestLatencyOfASwitchOfOurs: the path latency of a switch without a controller is measured by being
// it; with entries installed nothing comes to the controller, of the first echo either.
func TestLatencyOfASwitchOfOurs(t *testing.T) {
	t.Parallel()
	eachSwitch(t, func(t *testing.T, u *underTest) {
		const count = 4
		for _, rules := range []campaign.Rules{campaign.Reactive, campaign.Installed} {
			r, samples := measure(t, &campaign.Latency{From: u.at[0], To: u.at[1], Sizes: []int{56, 1500}, Count: count,
				Interval: u.interval(), Limits: probe.Limits{Foreign: 1}, Controller: u.controller, Rules: rules})
			if n := bySize(samples); n[56] != count || n[1500] != count {
				t.Errorf("rules %v: %v samples, want %d of each", rules, n, count)
			}
			if !strings.HasSuffix(r.Title, "rules "+rules.String()) {
				t.Errorf("title %q", r.Title)
			}
			n := len(u.controller.Answers()) // one each way of each size, and those of ARP's replies
			if rules == campaign.Reactive && n < 4 {
				t.Errorf("rules %v: %d flows came to the controller", rules, n)
			}
			for _, x := range r.Results {
				if strings.Contains(strings.Join(x.Notes, "\n"), "came to the controller meanwhile") {
					t.Errorf("rules %v: %q", rules, x.Notes)
				}
			}
		}
	})
}
