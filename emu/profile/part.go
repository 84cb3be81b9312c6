package profile

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/strictyaml"
)

// Examples of the parts.
const (
	setupExample   = "`flow_setup: {points: [{payload: 56, delay: 280ms}], p90: 1.2, source: paper}`"
	latencyExample = "`path_latency: {points: [{payload: 1500, delay: 200us}, {payload: 65000, delay: 2ms}]}`"
	loadExample    = "`load: {points: [{rate: 500M, times: 1.5}]}`"
	installExample = "`install: {per_second: 500, batch: 16, delay: 10ms}`"
	rateExample    = "`packet_in: {per_second: 1000, queue: 100}`"
	statsExample   = "`statistics: {delay: 20ms, entry: 10us}`"
	tablesExample  = "`tables: {count: 1, entries: 4096}`"
)

func sourceField(to *Source) strictyaml.Field {
	*to = Assumed
	return strictyaml.Into("source", to, parseSource)
}

// readSetup reads how long a flow's set-up takes.
func (r *reader) readSetup(n *yaml.Node) {
	s := &r.FlowSetup
	r.readLatency(n, &s.Latency, false, strictyaml.Into("controller", &s.Controller, parseDelay))
}

// readLatency reads a curve: its points, or factors of the profile that this one is from. What is
// not given of it is that of the latter.
func (r *reader) readLatency(n *yaml.Node, l *Latency, path bool, more ...strictyaml.Field) {
	text := setupExample
	if path {
		text = latencyExample
	}
	var points []Point
	var times []Factor
	fields := append([]strictyaml.Field{
		{Name: "points", Read: func(n *yaml.Node) error { points = r.readPoints(n); return nil }},
		{Name: "times", Read: func(n *yaml.Node) error { times = r.readFactors(n); return nil }},
		strictyaml.Into("p90", &l.P90, func(s string) (float64, error) {
			v, ok := strictyaml.Decimal(s)
			if !ok || v < 1 || v > most {
				return 0, fmt.Errorf("%s given, want a multiple of the median from 1 to %d, such as 1.2",
					strictyaml.Quote(s), most)
			}
			return v, nil
		}),
		{Name: "devices", Read: func(n *yaml.Node) error { l.Devices = r.readPoints(n); return nil }},
		sourceField(&l.Source),
	}, more...)
	seen := r.Mapping(n, text, fields)
	switch {
	case n.Kind != yaml.MappingNode:
	case seen["points"] && seen["times"]:
		r.Wrong(n, errors.New("points and times given, want one of them"))
	case seen["times"] && len(l.Points) == 0:
		r.Wrong(n, errors.New("times given, and nothing that they are times of: want `from: ovs` in the file, or points"))
	case seen["times"] && len(times) > 0:
		l.Points = l.scale(times)
	case seen["points"]:
		l.Points = points
	case len(l.Points) == 0:
		r.Wrong(n, fmt.Errorf("neither points nor times given, want one of them, such as %s", text))
	}
}

// readPoints reads the points of a curve, in their order; each has a payload and a time.
func (r *reader) readPoints(n *yaml.Node) (points []Point) {
	r.items(n, "`{payload: 1500, delay: 200us}`", func(n *yaml.Node, text string) {
		var p Point
		r.whole(n, text, []strictyaml.Field{
			strictyaml.Into("payload", &p.Payload, parsePayload),
			strictyaml.Into("delay", &p.Delay, parseDelay),
		})
		if len(points) > 0 && p.Payload <= points[len(points)-1].Payload && p.Payload > 0 {
			r.Wrong(n, fmt.Errorf("payload %d given after %d, want the points in order of payload, each once",
				p.Payload, points[len(points)-1].Payload))
		}
		points = append(points, p)
	})
	return points
}

// readFactors reads factors of another profile's curve.
func (r *reader) readFactors(n *yaml.Node) (factors []Factor) {
	r.items(n, "`{payload: 1500, times: 10}`", func(n *yaml.Node, text string) {
		var f Factor
		r.whole(n, text, []strictyaml.Field{
			strictyaml.Into("payload", &f.Payload, parsePayload),
			strictyaml.Into("times", &f.Times, parseTimes(0)),
		})
		if len(factors) > 0 && f.Payload <= factors[len(factors)-1].Payload && f.Payload > 0 {
			r.Wrong(n, fmt.Errorf("payload %d given after %d, want the factors in order of payload, each once",
				f.Payload, factors[len(factors)-1].Payload))
		}
		factors = append(factors, f)
	})
	return factors
}

// Whose load it is that counts.
const (
	ofPort   = "port"
	ofSwitch = "switch"
)

// readLoad reads what load makes of the path latency.
func (r *reader) readLoad(n *yaml.Node) {
	var l Load
	seen := r.Mapping(n, loadExample, []strictyaml.Field{
		{Name: "of", Read: strictyaml.Text(func(s string) error {
			if l.Switch = s == ofSwitch; !l.Switch && s != ofPort {
				return fmt.Errorf("%s given, want %s or %s", strictyaml.Quote(s), ofPort, ofSwitch)
			}
			return nil
		})},
		{Name: "points", Read: func(n *yaml.Node) error {
			r.items(n, "`{rate: 500M, times: 1.5}`", func(n *yaml.Node, text string) {
				var p LoadPoint
				r.whole(n, text, []strictyaml.Field{
					strictyaml.Into("rate", &p.RateBPS, parseLoadRate),
					strictyaml.Into("times", &p.Times, parseTimes(0)),
				}, strictyaml.Field{Name: "sizes", Read: func(n *yaml.Node) error { p.Sizes = r.readFactors(n); return nil }},
					strictyaml.Field{Name: "devices", Read: func(n *yaml.Node) error { p.Devices = r.readPoints(n); return nil }})
				l.Points = append(l.Points, p)
			})
			return nil
		}},
		sourceField(&l.Source),
	})
	if !seen["points"] && n.Kind == yaml.MappingNode {
		r.Wrong(n, fmt.Errorf("no points given, want some, such as %s", loadExample))
	}
	r.Load = l
}

// parseLoadRate reads the rate of a point, which cannot be none.
func parseLoadRate(s string) (uint64, error) {
	v, err := strictyaml.Rate(s, 1000, MaxRateBPS)
	if err == nil && v == 0 {
		err = fmt.Errorf("%s given, want bits a second, such as 500M: without load the factor is 1", strictyaml.Quote(s))
	}
	return v, err
}

// items reads a list of at most MaxPoints, each by read.
func (r *reader) items(n *yaml.Node, text string, read func(n *yaml.Node, text string)) {
	if n.Kind == yaml.SequenceNode && (len(n.Content) == 0 || len(n.Content) > MaxPoints) {
		r.Wrong(n, fmt.Errorf("%d points given, want from 1 to %d, such as %s", len(n.Content), MaxPoints, text))
		return
	}
	if err := r.List(n, text, func(n *yaml.Node) { read(n, text) }); err != nil {
		r.Wrong(n, fmt.Errorf("points: %w", err))
	}
}

// whole reads a mapping that has all of its fields, and may have others.
func (r *reader) whole(n *yaml.Node, text string, fields []strictyaml.Field, others ...strictyaml.Field) {
	seen := r.Mapping(n, text, slices.Concat(fields, others))
	for _, f := range fields {
		if !seen[f.Name] && n.Kind == yaml.MappingNode {
			r.Wrong(n, fmt.Errorf("a point without %s given, want it, such as %s", f.Name, text))
		}
	}
}

// readInstall reads how rules come into force.
func (r *reader) readInstall(n *yaml.Node) {
	var i Install
	r.something(n, r.Mapping(n, installExample, []strictyaml.Field{
		strictyaml.Into("per_second", &i.PerSecond, parsePerSecond),
		strictyaml.Into("batch", &i.Batch, strictyaml.Number(1, MaxQueue, "16")),
		strictyaml.Into("delay", &i.Delay, parseDelay),
		sourceField(&i.Source),
	}), installExample)
	r.Install = i
}

// readRate reads a narrow way.
func (r *reader) readRate(n *yaml.Node, to *Rate) {
	var v Rate
	r.something(n, r.Mapping(n, rateExample, []strictyaml.Field{
		strictyaml.Into("per_second", &v.PerSecond, parsePerSecond),
		strictyaml.Into("queue", &v.Queue, strictyaml.Number(0, MaxQueue, "100")),
		sourceField(&v.Source),
	}), rateExample)
	*to = v
}

// readStatistics reads how long counters take.
func (r *reader) readStatistics(n *yaml.Node) {
	var s Statistics
	r.something(n, r.Mapping(n, statsExample, []strictyaml.Field{
		strictyaml.Into("delay", &s.Delay, parseDelay),
		strictyaml.Into("entry", &s.Entry, strictyaml.Time(time.Second)),
		sourceField(&s.Source),
	}), statsExample)
	r.Statistics = s
}

// readTables reads how much a switch holds.
func (r *reader) readTables(n *yaml.Node) {
	var t Tables
	var fields []strictyaml.Field
	for _, f := range t.fields() {
		fields = append(fields, strictyaml.Into(f.name, f.to,
			strictyaml.Number(f.least, f.most, fmt.Sprint(f.example))))
	}
	r.something(n, r.Mapping(n, tablesExample, append(fields, sourceField(&t.Source))), tablesExample)
	r.Tables = t
}

// something refuses an empty part.
func (r *reader) something(n *yaml.Node, seen map[string]bool, text string) {
	delete(seen, "source")
	if len(seen) == 0 && n.Kind == yaml.MappingNode {
		r.Wrong(n, fmt.Errorf("a part that says nothing given, want figures, such as %s", text))
	}
}
