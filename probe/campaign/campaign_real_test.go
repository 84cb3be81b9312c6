//go:build real && linux

package campaign_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/packet"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/campaign"
	"github.com/weirnet/weir/probe/nic"
)

const patience = 20 * time.Second

// soon is from one echo to the next, which comes after the one before in any case.
const soon = time.Millisecond

// ends makes two interfaces, in namespaces of their own, whose other ends are p0 and p1 of the lab.
func ends(t *testing.T, l *netlab.Lab, mtu int) [2]nic.Config {
	t.Helper()
	return [2]nic.Config(endsOf(t, l, 2, mtu))
}

// endsOf makes so many.
func endsOf(t *testing.T, l *netlab.Lab, count, mtu int) (list []nic.Config) {
	t.Helper()
	state := t.TempDir()
	for i := range count {
		space := fmt.Sprintf("h%d", i)
		l.AddEnd(space, fmt.Sprintf("p%d", i), mtu)
		list = append(list, nic.Config{Interface: "eth0", Namespace: space, State: state})
	}
	return list
}

// measurement is one of this package, with samples of its own kind.
type measurement[S any] interface {
	Run(context.Context) (*report.Report, []S, error)
}

// measure runs a measurement, which has to end with a report; the test's log shows it.
func measure[S any](t *testing.T, m measurement[S]) (*report.Report, []S) {
	t.Helper()
	r, samples, err := m.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	t.Log(text.String())
	return r, samples
}

// bySize counts samples.
func bySize(samples []campaign.Sample) map[int]int {
	count := map[int]int{}
	for _, s := range samples {
		count[s.Size]++
	}
	return count
}

// TestAKnownSwitch: of a relay that holds each frame for a time, no path latency is found that is
// shorter, of any size, with IPv4, IPv6 and tags, and each echo is found.
func TestAKnownSwitch(t *testing.T) {
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		const there, back, count = 3 * time.Millisecond, time.Millisecond, 5
		at := ends(t, l, 1500)
		relay := l.Impair("p0", "p1", netlab.Impairment{There: there, Back: back})
		defer relay.Close()
		for _, c := range []campaign.Latency{{}, {Six: true}, {VLAN: 7}} {
			c.From, c.To, c.Count, c.Interval, c.Limits.Foreign = at[0], at[1], count, soon, 1
			_, samples := measure(t, &c)
			for _, size := range campaign.DefaultSizes {
				if n := bySize(samples)[size]; n != count {
					t.Errorf("IPv6 %v, VLAN %d: %d echoes of %d bytes, want %d", c.Six, c.VLAN, n, size, count)
				}
			}
			for _, s := range samples {
				if s.There < there || s.Back < back || s.Ping != s.Path+s.Other || s.There+s.Back != s.Path {
					t.Errorf("%+v, of a relay that holds frames for %v and %v", s, there, back)
				}
			}
		}
	})
}

// echoLine is a line of tcpdump's about an echo.
var echoLine = regexp.MustCompile(`(?m)^(\d+)\.(\d{9}) IP .* echo (request|reply), id \d+, seq (\d+), length 64$`)

// TestTcpdumpSeesTheSame: tcpdump at both ends sees the echoes that the probe counts, and finds no
// shorter path latency of them than the relay holds frames. How far apart the two are is a matter of
// this machine.
func TestTcpdumpSeesTheSame(t *testing.T) {
	need.Program(t, "tcpdump")
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		const hold, count = 2 * time.Millisecond, 10
		at := ends(t, l, 1500)
		relay := l.Impair("p0", "p1", netlab.Impairment{There: hold, Back: hold})
		defer relay.Close()
		var dumps [2]*netlab.Process
		for i, end := range at {
			dumps[i] = l.Start("ip", "netns", "exec", end.Namespace, "tcpdump", "-i", "eth0", "-n", "-tt", "-l",
				"--time-stamp-precision=nano", "icmp")
			l.Eventually(patience, "tcpdump listens", func() bool { return strings.Contains(dumps[i].Output(), "listening on") })
		}
		_, samples := measure(t, &campaign.Latency{From: at[0], To: at[1], Count: count, Sizes: []int{56},
			Interval: soon, Limits: probe.Limits{Foreign: 1}})
		// Each end: the first echo alone, and the others; a request and a reply each.
		var seen [2]map[string][]int64
		l.Eventually(patience, "tcpdump has seen all", func() bool {
			lines := 0
			for i, d := range dumps {
				seen[i] = map[string][]int64{}
				for _, m := range echoLine.FindAllStringSubmatch(d.Output(), -1) {
					s, _ := strconv.ParseInt(m[1], 10, 64)
					ns, _ := strconv.ParseInt(m[2], 10, 64)
					key := m[3] + " " + m[4]
					seen[i][key] = append(seen[i][key], s*1e9+ns)
					lines++
				}
			}
			return lines == 4*(count+1)
		})
		if len(samples) != count {
			t.Fatalf("%d samples, want %d", len(samples), count)
		}
		for _, s := range samples {
			last := func(end int, kind string) int64 {
				list := seen[end][fmt.Sprintf("%s %d", kind, s.Seq)]
				return list[len(list)-1]
			}
			path := time.Duration(last(0, "reply") - last(0, "request") - (last(1, "reply") - last(1, "request")))
			t.Logf("echo %d: %v, by tcpdump %v", s.Seq, s.Path, path)
			if path < 2*hold || s.Path < 2*hold {
				t.Errorf("echo %d: path latency %v, by tcpdump %v, of a relay that holds frames for %v each way", s.Seq, s.Path,
					path, hold)
			}
		}
	})
}

// isEcho reports whether a frame is of the probe's echoes.
func isEcho(frame []byte) bool {
	f, ok := probe.Parse(frame)
	return ok && (f.Kind == probe.EchoRequest || f.Kind == probe.EchoReply)
}

// TestWhatAPathDoesIsRefused: a relay that loses, doubles, reorders and cuts packets, and ways that differ, with
// the counts that it is known to have.
func TestWhatAPathDoesIsRefused(t *testing.T) {
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := ends(t, l, 1500)
		for _, c := range []struct {
			relay  netlab.Impairment
			edit   func(*campaign.Latency)
			sizes  []int
			reason error
			text   string
		}{
			{netlab.Impairment{Lose: 4}, nil, []int{56}, probe.ErrLoss, "2 of 8"},
			{netlab.Impairment{Double: 4}, nil, []int{56}, probe.ErrDoubled, "2 of 8"},
			{netlab.Impairment{Cut: 1000}, nil, []int{1400}, probe.ErrCut, "of 8"},
			{netlab.Impairment{Lose: 4, There: 5 * time.Millisecond},
				func(c *campaign.Latency) { c.Limits.Lost = 0.5 }, []int{56}, nil, ""},
			{netlab.Impairment{There: 50 * time.Millisecond, Back: 100 * time.Millisecond},
				func(c *campaign.Latency) { c.Symmetric = true }, []int{56}, probe.ErrDifferentWays, "want"},
		} {
			c.relay.Only = isEcho
			relay := l.Impair("p0", "p1", c.relay)
			m := campaign.Latency{From: at[0], To: at[1], Sizes: c.sizes, Count: 8, Limits: probe.Limits{Foreign: 1}}
			if c.edit != nil {
				c.edit(&m)
			}
			r, _ := measure(t, &m)
			why := r.Results[0].Refused
			busy := strings.HasPrefix(why, probe.ErrSpread.Error()) // the machine
			if c.reason == nil && why != "" && !busy || c.reason != nil && !strings.HasPrefix(why, c.reason.Error()+": ") ||
				!strings.Contains(why, c.text) {
				t.Errorf("%+v: refused as %q, want %v with %q", c.relay, why, c.reason, c.text)
			}
			if c.reason != nil && !r.Refused() {
				t.Error("the report is not refused")
			}
			if err := relay.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestForeignTraffic: frames of others on the wire are counted, and refused above the limit.
func TestForeignTraffic(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := ends(t, l, 1500)
		relay := l.Impair("p0", "p1", netlab.Impairment{There: time.Millisecond, Back: time.Millisecond})
		defer relay.Close()
		ctx, stop := context.WithCancel(t.Context())
		other, err := nic.Open(nic.Config{Interface: "p0", AsIs: true})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			k := packet.NewARPRequest(packet.MAC{2, 9}, [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
			for ctx.Err() == nil {
				_ = other.Send(packet.AppendARP(nil, &k))
				time.Sleep(time.Millisecond)
			}
		}()
		r, _ := measure(t, &campaign.Latency{From: at[0], To: at[1], Sizes: []int{56}, Count: 5,
			Limits: probe.Limits{Foreign: 0.1}})
		stop()
		<-ended
		if why := r.Results[0].Refused; !strings.Contains(why, probe.ErrForeign.Error()) {
			t.Errorf("refused as %q", why)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestNobodyIsThere: a path that leads nowhere ends with what to look at.
func TestNobodyIsThere(t *testing.T) {
	t.Parallel()
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := ends(t, l, 1500)
		c := campaign.Latency{From: at[0], To: at[1], Sizes: []int{56}, Count: 2}
		if _, _, err := c.Run(t.Context()); !errors.Is(err, probe.ErrNoAnswer) {
			t.Errorf("%v", err)
		}
	})
}

// TestMergedFramesAreRefused: where offloads stay on, a stream of the machine's own shows frames
// that no wire has, and the probe says so; it does not where it switches them off.
func TestMergedFramesAreRefused(t *testing.T) {
	need.Program(t, "iperf3")
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		at := ends(t, l, 1500)
		l.Run("ip", "link", "add", "name", "br", "type", "bridge")
		for i, end := range at {
			l.Run("ip", "-n", end.Namespace, "address", "add", fmt.Sprintf("10.0.0.%d/24", i+1), "dev", "eth0")
			l.Run("ip", "link", "set", "dev", fmt.Sprintf("p%d", i), "master", "br")
		}
		l.Run("ip", "link", "set", "dev", "br", "up")
		for _, asIs := range []bool{true, false} {
			cfg := at[0]
			cfg.AsIs = asIs
			n, err := nic.Open(cfg)
			if err != nil {
				t.Fatal(err)
			}
			seen := probe.NewAssembler(n.MTU())
			n.Watch(func(f *nic.Frame) { seen.Add(probe.Stamp(f.At), f.Out, f.Length, f.Bytes) })
			server := l.Start("ip", "netns", "exec", "h1", "iperf3", "-s", "-1")
			l.Eventually(patience, "iperf3 sends", func() bool {
				return exec.Command("ip", "netns", "exec", "h0", "iperf3", "-c", "10.0.0.2", "-n", "5M", "-i", "0").Run() == nil
			})
			l.Eventually(patience, "iperf3's server ends", server.Ended)
			if err := n.Close(); err != nil {
				t.Fatal(err)
			}
			err = probe.Limits{Foreign: 1e9}.CheckCounts(cfg.String(), seen.Counts())
			if asIs != errors.Is(err, probe.ErrMerged) {
				t.Errorf("offloads left on: %v: %v, of %+v", asIs, err, seen.Counts())
			}
		}
	})
}

// TestOwnCable: a cable that the command makes itself is measured whole, and every echo of it.
func TestOwnCable(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		c := campaign.Cable{Latency: campaign.Latency{Count: 10, Interval: soon, Limits: probe.Limits{Foreign: 1}}}
		r, samples, err := c.Run(t.Context())
		if err != nil || r.Refused() {
			t.Fatalf("%v, %+v", err, r)
		}
		for _, size := range campaign.DefaultSizes {
			if n := bySize(samples)[size]; n != 10 {
				t.Errorf("%d echoes of %d bytes", n, size)
			}
		}
		var table bytes.Buffer
		if err := campaign.WriteCSV(&table, samples); err != nil || strings.Count(table.String(), "\n") != len(samples)+1 {
			t.Errorf("%v: %s", err, table.String())
		}
	})
}
