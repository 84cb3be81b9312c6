package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weirnet/weir/bench/report"
)

// Kind is what is measured at a point.
type Kind string

// The kinds of points, in the order in which they are measured.
const (
	Latency Kind = "latency" // path latency, and ping
	Setup   Kind = "setup"   // the first packet of a flow
	TCP     Kind = "tcp"     // throughput of a TCP stream
	UDP     Kind = "udp"     // throughput, jitter and loss of a UDP stream
)

// Rules is how the switch comes to the rules that forward the packets.
type Rules string

// The kinds of rules. Those of AsTheyAre are not of the probe's making.
const (
	Reactive  Rules = "reactive"  // set up when the first packet of a flow comes
	Installed Rules = "installed" // before
	AsTheyAre Rules = "as-is"     // whatever the switch does without the probe
)

// Point is one place of the campaign.
type Point struct {
	Kind       Kind
	Rules      Rules
	Background int // Mbit/s that each of two further hosts sends; 0: none
	Size       int // bytes of an echo's data, of what TCP is given at a time, of a datagram
}

// String is the name of a point, by which it is kept and chosen: tcp/installed/2x250/10000.
func (p Point) String() string {
	background := "0"
	if p.Background > 0 {
		background = fmt.Sprintf("2x%d", p.Background)
	}
	return fmt.Sprintf("%s/%s/%s/%d", p.Kind, p.Rules, background, p.Size)
}

// Subject is a point among those of its kind and rules, in a report.
func (p Point) Subject() string { return report.Thousands(p.Size) + " bytes, " + p.background() }

// background is what goes on beside a point, in words.
func (p Point) background() string {
	if p.Background == 0 {
		return "no background"
	}
	return fmt.Sprintf("background of 2 × %d Mbit/s", p.Background)
}

// group is the report that a point is part of.
func (p Point) group() string { return string(p.Kind) + "-" + string(p.Rules) }

// The paper's values.
var (
	backgrounds = []int{0, 250, 375}
	sizes       = []int{1500, 10000, 65000}
	tcpSizes    = []int{1500, 10000, 65000, 150000}
)

// Plan is the points of a campaign, in the order in which they are measured.
func (c *Parameters) Plan() (list []Point) {
	rules := []Rules{AsTheyAre}
	if c.Controlled {
		rules = []Rules{Reactive, Installed}
	}
	for _, kind := range []Kind{Latency, Setup, TCP, UDP} {
		for _, r := range rules {
			if kind == Setup && r != Reactive { // of rules that are there nothing is set up
				continue
			}
			for _, background := range backgrounds {
				of := sizes
				if kind == TCP {
					of = tcpSizes
				}
				for _, size := range of {
					list = append(list, Point{kind, r, background, size})
				}
			}
		}
	}
	return list
}

// runs is how many runs a point has: transfers one by one, echoes all at once.
func (c *Parameters) runs(k Kind) int {
	if k == TCP || k == UDP {
		return c.Transfers
	}
	return 1
}

// Choose is the points whose names begin with one of the texts, up to a slash or their end. Without
// texts it is all. The error is of a text that no name begins with.
func Choose(points []Point, only []string) ([]Point, error) {
	if len(only) == 0 {
		return points, nil
	}
	chosen := func(text string, p Point) bool {
		return strings.HasPrefix(p.String()+"/", strings.TrimSuffix(text, "/")+"/")
	}
	for _, text := range only {
		if !slices.ContainsFunc(points, func(p Point) bool { return chosen(text, p) }) {
			return nil, fmt.Errorf("%q given, and no point of this campaign begins so, want some of KIND/RULES/BACKGROUND/SIZE, such as %s",
				text, points[0])
		}
	}
	var list []Point
	for _, p := range points {
		if slices.ContainsFunc(only, func(text string) bool { return chosen(text, p) }) {
			list = append(list, p)
		}
	}
	return list, nil
}
