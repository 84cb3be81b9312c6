//go:build real && linux

package netlab

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/paper"
)

// fourHosts makes interfaces in namespaces h1 to h4, at ports 1 to 4 of a switch, and returns them as
// weir probe paper --hosts takes them.
func fourHosts(l *Lab, o *OVS, bridge string) string {
	var list []string
	for i := 1; i <= paper.Hosts; i++ {
		space, port := fmt.Sprintf("h%d", i), fmt.Sprintf("p%d", i)
		l.AddEnd(space, port, 1500)
		o.AddPort(bridge, port, i)
		list = append(list, "eth0,netns="+space)
	}
	return strings.Join(list, ",")
}

// kept is what a directory has; nothing where nothing was begun.
func kept(dir string) (list []*paper.Kept) {
	if c, err := paper.Read(dir); err == nil {
		list = c.Points
	}
	return list
}

// runsOf counts the runs of points.
func runsOf(list []*paper.Kept) (n int) {
	for _, k := range list {
		n += k.Runs
	}
	return n
}

// TestPaperCampaignGoesOn: a campaign over Open vSwitch, killed in mid-run and begun again, has every
// run of every point once: those that had been kept as they were, and the others.
func TestPaperCampaignGoesOn(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		o := l.StartOVS()
		o.AddBridge("s1", 1, "1.3")
		o.Ofctl("1.3", "add-flow", "s1", "actions=normal")
		dir := filepath.Join(l.dir, "paper")
		args := []string{"paper", "--hosts", fourHosts(l, o, "s1"), "--state", dir, "--quick", "--transfers", "2",
			"--duration", "1s", "--udp-rate", "20", "--only", "udp/as-is/0"}
		const killedAfter, all = 3, 6 // runs: within the second of three points
		first := l.StartProbe(args...)
		l.Eventually(time.Minute, "some runs are kept", func() bool { return first.Ended() || runsOf(kept(dir)) >= killedAfter })
		first.Kill()
		before := kept(dir)
		if n := runsOf(before); n < killedAfter || n >= all {
			t.Fatalf("%d runs are kept of %d\n%s", n, all, first.Output())
		}
		second := l.StartProbe(args...)
		l.Eventually(time.Minute, "the campaign ends", second.Ended)
		after, out := kept(dir), second.Output()
		if code := second.End(0); code != 0 || runsOf(after) != all || len(after) != 3 {
			t.Fatalf("exit code %d, %d runs of %d points\n%s", code, runsOf(after), len(after), out)
		}
		if measured := strings.Count(out, " is kept\n"); measured != all-runsOf(before) {
			t.Errorf("%d runs were measured again\n%s", measured-(all-runsOf(before)), out)
		}
		for i, k := range before {
			for j, m := range k.Result.Measures {
				now := after[i].Result.Measures[j]
				if after[i].Point != k.Point || now.Name != m.Name || !slices.Equal(now.Runs[:len(m.Runs)], m.Runs) {
					t.Errorf("%s: %s was %v, and is %v", k.Point, m.Name, m.Runs, now.Runs)
				}
			}
		}
	})
}

// TestPaperCampaignHasReasons: background that the switch does not carry is a reason in its point's
// place; the campaign goes on, and tries it again only if it is told to.
func TestPaperCampaignHasReasons(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		o := l.StartOVS()
		o.AddBridge("s1", 1, "1.3")
		o.Ofctl("1.3", "add-meter", "s1", "meter=1,kbps,band=type=drop,rate=1000") // 1 Mbit/s
		o.Ofctl("1.3", "add-flow", "s1", "priority=1,actions=normal")
		for _, port := range []string{"3", "4"} {
			o.Ofctl("1.3", "add-flow", "s1", "in_port="+port+",udp,actions=meter:1,normal")
		}
		dir := filepath.Join(l.dir, "paper")
		const refused, measured = "latency/as-is/2x250/1500", "udp/as-is/0/10000"
		args := []string{"paper", "--hosts", fourHosts(l, o, "s1"), "--state", dir, "--quick", "--probes", "2",
			"--transfers", "2", "--duration", "1s", "--udp-rate", "2", "--only", refused + "," + measured}
		last := map[string]string{}
		now := func() map[string]string {
			list := map[string]string{}
			for _, k := range kept(dir) {
				b, err := json.Marshal(k)
				if err != nil {
					t.Fatal(err)
				}
				list[k.Point] = string(b)
			}
			return list
		}
		for i, more := range [][]string{nil, nil, {"--again"}} {
			p := l.StartProbe(append(args, more...)...)
			l.Eventually(time.Minute, "the campaign ends", p.Ended)
			if code := p.End(0); code != 1 {
				t.Errorf("the campaign exits with %d\n%s", code, p.Output())
			}
			c, err := paper.Read(dir)
			if err != nil || len(c.Points) != 2 {
				t.Fatalf("%v\n%s", err, p.Output())
			}
			for _, k := range c.Points {
				if reason := k.Result.Refused; strings.HasPrefix(reason, probe.ErrRate.Error()+": ") != (k.Point == refused) ||
					k.Point == measured && (reason != "" || k.Runs != 2 || len(k.Result.Measure(paper.FigureLoss).Runs) != 2) {
					t.Errorf("%s: %+v", k.Point, k)
				}
			}
			now, out := now(), p.Output()
			if wantNew := i != 1; strings.Contains(out, refused+": no result") != wantNew {
				t.Errorf("round %d: %s was to be tried: %v\n%s", i, refused, wantNew, out)
			}
			if i > 0 && (now[measured] != last[measured] || strings.Contains(out, measured+": run")) {
				t.Errorf("round %d: %s was measured again\n%s", i, measured, out)
			}
			last = now
		}
	})
}

// TestPaperRatios: weir bench paper latency starts both switches itself, has a result or a reason of a
// busy machine at each point, under rules of either kind, and leaves nothing running.
func TestPaperRatios(t *testing.T) {
	t.Parallel()
	Inside(t, func(t *testing.T, l *Lab) {
		dir := filepath.Join(l.dir, "both")
		p := l.Start(BuiltWeir(t), "bench", "paper", "latency", "--state", dir, "--quick", "--probes", "2", "--transfers", "1",
			"--duration", "1s", "--udp-rate", "10", "--only",
			"latency/installed/0/1500,setup/reactive/0/1500,tcp/reactive/0/1500,tcp/installed/0/65000,udp/installed/0/10000")
		l.Eventually(2*time.Minute, "both are measured", p.Ended)
		out := p.Output()
		if code := p.End(0); code != 1 { // rows that were not asked for have no result
			t.Errorf("exit code %d\n%s", code, out)
		}
		for _, name := range []string{"hardware", "software"} {
			list := kept(filepath.Join(dir, name))
			if len(list) != 5 {
				t.Errorf("%s: %d points\n%s", name, len(list), out)
			}
			for _, k := range list {
				reason := k.Result.Refused
				if reason != "" && !strings.HasPrefix(reason, probe.ErrSpread.Error()+": ") {
					t.Errorf("%s: %s: %s", name, k.Point, reason)
				}
				m := k.Result.Measure(paper.FigureThroughput)
				if strings.HasPrefix(k.Point, "tcp/") && (m == nil || m.Median <= 0) {
					t.Errorf("%s: %s has no throughput: %+v", name, k.Point, k.Result)
				}
			}
		}
		if !strings.Contains(out, "throughput of TCP, 65,000 bytes, no background") || !strings.Contains(out, "curves only") {
			t.Errorf("no rows of the paper:\n%s", out)
		}
		if left := l.Run("ps", "-e", "-o", "comm="); strings.Contains(left, "ovs") {
			t.Errorf("left running: %s", left)
		}
	})
}
