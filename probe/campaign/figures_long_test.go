//go:build real && long && linux

package campaign_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/weirnet/weir/internal/netlab"
	"github.com/weirnet/weir/probe"
	"github.com/weirnet/weir/probe/campaign"
)

// portLine is a line of tcpdump's about an echo, at any of several interfaces: P is of a frame that
// came for another station.
var portLine = regexp.MustCompile(`(?m)^(\d+)\.(\d{9}) (p\d) +(Out|P) +IP .* echo (request|reply), id \d+, seq (\d+), length 64$`)

// TestMeasureRelay prints how close to a relay's delay the probe finds it: what tcpdump sees of the
// relay, from a frame's coming at the one port to its going at the other, beside the path latency.
func TestMeasureRelay(t *testing.T) {
	netlab.Inside(t, func(t *testing.T, l *netlab.Lab) {
		const count = 50
		at := ends(t, l, 1500)
		fmt.Println("| relay holds, both ways | by tcpdump | spread | path latency | spread | ratio | own share |\n" +
			"|---|---|---|---|---|---|---|")
		for _, us := range []int{100, 300, 1000, 3000, 10000, 30000, 100000} {
			hold := time.Duration(us) * time.Microsecond
			relay := l.Impair("p0", "p1", netlab.Impairment{There: hold / 2, Back: hold / 2})
			dump := l.Start("tcpdump", "-i", "any", "-n", "-tt", "-l", "--time-stamp-precision=nano", "icmp")
			time.Sleep(time.Second)
			c := campaign.Latency{From: at[0], To: at[1], Count: count, Sizes: []int{56}, Limits: probe.Limits{Foreign: 1}}
			r, samples := measure(t, &c)
			time.Sleep(time.Second)
			var path []time.Duration
			for _, s := range samples {
				path = append(path, s.Path)
			}
			truth := holds(dump.Output())
			if len(truth) != count+1 || len(path) != count { // the first one is not among the samples
				t.Errorf("%v: tcpdump sees %d echoes, and the probe %d, want %d more than one", hold, len(truth), len(path), count)
			}
			x := r.Results[0]
			if x.Refused != "" {
				fmt.Printf("| %v | %v | | %s |\n", hold, probe.Median(truth), x.Refused)
			} else {
				found := x.Measure("path latency").Median
				fmt.Printf("| %v | %v | %v | %.1f µs | %v | %.4f | %s |\n", hold, probe.Shown(probe.Median(truth)),
					probe.Shown(probe.ShareOf(truth).Spread), found, probe.Shown(probe.ShareOf(path).Spread),
					found*1e3/float64(probe.Median(truth)), x.Notes[0])
			}
			dump.End(time.Second)
			if err := relay.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// holds are how long the relay held a request and its reply, together, as tcpdump saw it.
func holds(text string) (list []time.Duration) {
	type key struct{ kind, seq string }
	came, took := map[key]int64{}, map[key]time.Duration{}
	for _, m := range portLine.FindAllStringSubmatch(text, -1) {
		s, _ := strconv.ParseInt(m[1], 10, 64)
		ns, _ := strconv.ParseInt(m[2], 10, 64)
		k, at := key{m[5], m[6]}, s*1e9+ns
		if m[4] == "P" {
			came[k] = at
		} else if came[k] != 0 {
			took[k] = time.Duration(at - came[k])
		}
		if there, back := took[key{"request", m[6]}], took[key{"reply", m[6]}]; there > 0 && back > 0 {
			list = append(list, there+back)
			delete(took, key{"request", m[6]})
			delete(took, key{"reply", m[6]})
		}
	}
	return list
}
