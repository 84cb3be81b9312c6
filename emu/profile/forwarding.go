package profile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/strictyaml"
)

// Forwarding is how much a switch forwards. Frames above it wait their turn, and are lost where
// they would wait for too long: so what a flow gets by the length of its frames, and its jitter and
// loss under load, follow from it.
type Forwarding struct {
	Port   Throughput // of what leaves by one port
	Switch Throughput // of all that leaves, whatever the port
	Source Source
}

// Throughput is a rate that depends on the length of frames. A frame takes a time, which between two
// points is linear in its length; outside of them the rate is that of the nearest.
type Throughput struct {
	Points []ThroughputPoint // in order of length; none: no limit
	Wait   time.Duration     // the longest that a frame waits for those before it
}

// ThroughputPoint is a rate at which frames of one length leave.
type ThroughputPoint struct {
	Frame   int    // bytes from the destination's address to the end of the payload, from MinFrame to MaxFrame
	RateBPS uint64 // bits of such frames a second
}

// The lengths of frames.
const (
	MinFrame = 14
	MaxFrame = 65549
)

// unlimited reports whether nothing is limited.
func (f *Forwarding) unlimited() bool { return len(f.Port.Points) == 0 && len(f.Switch.Points) == 0 }

// Takes is the time that one frame of a length takes, in nanoseconds; 0 without limit.
func (t *Throughput) Takes(frame int) float64 {
	i, exact := slices.BinarySearchFunc(t.Points, frame, func(p ThroughputPoint, n int) int { return cmp.Compare(p.Frame, n) })
	switch {
	case len(t.Points) == 0:
		return 0
	case exact:
		return t.Points[i].takes()
	case i == 0 || i == len(t.Points):
		nearest := t.Points[max(i-1, 0)]
		return nearest.takes() * float64(frame) / float64(nearest.Frame)
	}
	a, b := t.Points[i-1], t.Points[i]
	return a.takes() + (b.takes()-a.takes())*float64(frame-a.Frame)/float64(b.Frame-a.Frame)
}

// takes is the time of one frame, in nanoseconds.
func (p ThroughputPoint) takes() float64 {
	return float64(p.Frame) * 8 * float64(time.Second) / float64(p.RateBPS)
}

func (f *Forwarding) check() error {
	for _, t := range []struct {
		name string
		*Throughput
	}{{"port", &f.Port}, {"switch", &f.Switch}} {
		if err := t.check(); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

func (t *Throughput) check() error {
	switch {
	case len(t.Points) > MaxPoints:
		return fmt.Errorf("%d points given, want at most %d", len(t.Points), MaxPoints)
	case t.Wait < 0 || t.Wait > MaxDelay:
		return fmt.Errorf("wait %v given, want a time from 0s to %v, such as 5ms", t.Wait, MaxDelay)
	case t.Wait > 0 && len(t.Points) == 0:
		return fmt.Errorf("wait %v given without points, want both: without a rate nothing waits", t.Wait)
	}
	for i, p := range t.Points {
		switch {
		case p.Frame < MinFrame || p.Frame > MaxFrame:
			return fmt.Errorf("frame %d given, want bytes from %d to %d, such as 1514", p.Frame, MinFrame, MaxFrame)
		case p.RateBPS == 0 || p.RateBPS > MaxRateBPS:
			return fmt.Errorf("rate %d given at frame %d, want bits a second up to %d, such as 1G", p.RateBPS, p.Frame,
				uint64(MaxRateBPS))
		case i > 0 && p.Frame <= t.Points[i-1].Frame:
			return fmt.Errorf("frame %d given after %d, want the points in order of length, each once", p.Frame,
				t.Points[i-1].Frame)
		case i > 0 && p.takes() < t.Points[i-1].takes():
			return fmt.Errorf("rate %d given at frame %d, which would take less time than one of %d, want %.0f at most",
				p.RateBPS, p.Frame, t.Points[i-1].Frame, float64(p.Frame)*8e9/t.Points[i-1].takes())
		}
	}
	return nil
}

func (f *Forwarding) fields() []string {
	return []string{f.Port.field("port"), f.Switch.field("switch")}
}

func (t *Throughput) field(name string) string {
	if len(t.Points) == 0 {
		return ""
	}
	points := make([]string, len(t.Points))
	for i, p := range t.Points {
		points[i] = fmt.Sprintf("{frame: %d, rate: %d}", p.Frame, p.RateBPS)
	}
	text := name + ": {points: [" + strings.Join(points, ", ") + "]"
	if t.Wait > 0 {
		text += ", " + duration("wait", t.Wait)
	}
	return text + "}"
}

const forwardingExample = "`forwarding: {port: {points: [{frame: 64, rate: 700M}, {frame: 1514, rate: 980M}], wait: 5ms}}`"

// readForwarding reads how much a switch forwards.
func (r *reader) readForwarding(n *yaml.Node) {
	var f Forwarding
	way := func(name string, to *Throughput) strictyaml.Field {
		return strictyaml.Field{Name: name, Read: func(n *yaml.Node) error { r.readThroughput(n, to); return nil }}
	}
	r.something(n, r.Mapping(n, forwardingExample, []strictyaml.Field{
		way("port", &f.Port), way("switch", &f.Switch), sourceField(&f.Source),
	}), forwardingExample)
	r.Forwarding = f
}

func (r *reader) readThroughput(n *yaml.Node, to *Throughput) {
	seen := r.Mapping(n, forwardingExample, []strictyaml.Field{
		{Name: "points", Read: func(n *yaml.Node) error {
			r.items(n, "`{frame: 1514, rate: 980M}`", func(n *yaml.Node, text string) {
				var p ThroughputPoint
				r.whole(n, text, []strictyaml.Field{
					strictyaml.Into("frame", &p.Frame, strictyaml.Number(MinFrame, MaxFrame, "1514")),
					strictyaml.Into("rate", &p.RateBPS, parseForwardingRate),
				})
				to.Points = append(to.Points, p)
			})
			return nil
		}},
		strictyaml.Into("wait", &to.Wait, parseDelay),
	})
	if !seen["points"] && n.Kind == yaml.MappingNode {
		r.Wrong(n, errors.New("no points given, want some, such as "+forwardingExample))
	}
}

// parseForwardingRate reads the rate of a point, which cannot be none.
func parseForwardingRate(s string) (uint64, error) {
	v, err := strictyaml.Rate(s, 1000, MaxRateBPS)
	if err == nil && v == 0 {
		err = fmt.Errorf("%s given, want bits a second, such as 980M; for no limit leave the point out", strictyaml.Quote(s))
	}
	return v, err
}
