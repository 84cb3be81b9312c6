package calibration

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/fit"
)

// Names of quantities.
const (
	PathLatency = "path latency"
	FlowSetup   = "flow set-up"
	Install     = "entries in force"
	Answer      = "answer with counters"
	PacketIns   = "packet-ins"
	PacketOuts  = "packet-outs"
	Tables      = "tables"
)

// Quantity is what is measured of a switch and of its twin.
type Quantity struct {
	Name string
	// Size is of path latency and flow set-up the bytes of an echo's data, of entries in force and of
	// answers the number of entries; 0 where there is none.
	Size int
	// LoadBPS is what else leaves by the same port, in bits a second.
	LoadBPS uint64
}

// String names the quantity with its size and load.
func (q Quantity) String() string {
	s := q.Name
	if size := q.size(); size != "" {
		s += ", " + size
	}
	if load := q.load(); load != "" {
		s += ", under " + load
	}
	return s
}

// size is the size with its unit, load the load; empty where there is none.
func (q Quantity) size() string {
	switch {
	case q.Size == 0:
		return ""
	case q.Name == PathLatency || q.Name == FlowSetup:
		return report.Plural(q.Size, "byte", "bytes")
	}
	return report.Plural(q.Size, "entry", "entries")
}

func (q Quantity) load() string {
	if q.LoadBPS == 0 {
		return ""
	}
	return report.ThreeDigits(float64(q.LoadBPS)/1e6) + " Mbit/s"
}

// Units of figures.
const (
	micros    = "µs" // a time: less is faster
	perSecond = "/s" // a rate: more is faster
	counted   = ""   // a number, which is neither
)

// Figure is one that was measured, or that a profile promises.
type Figure struct {
	Quantity
	Unit  string
	Value float64   // the median of Runs, where there are some
	Runs  []float64 // each time that it was taken
	// Refused is why there is no figure; Value and Runs are none then.
	Refused error
	// Optional is of a part that a switch may not have a figure of.
	Optional bool
}

// Measured is what was measured of a switch, or of a twin.
type Measured struct {
	Latency, Setup []fit.Sized
	Share          []time.Duration // of the controller, in the set-up of single flows
	Loads          []fit.Loaded
	Switch         *controller.Measured // what its controller sees; nil: that was not measured
	Refused        map[Quantity]error

	setupTook time.Duration // all set-ups together
}

// refuse notes why a quantity has no figure.
func (m *Measured) refuse(q Quantity, err error) {
	if m.Refused == nil {
		m.Refused = map[Quantity]error{}
	}
	m.Refused[q] = err
}

// Figures are all that there are, and those that were refused, in the order of a table. What the profile's
// model does not fit has no figures: no profile can promise them.
func (m *Measured) Figures() []Figure { return m.figures((*controller.Measured).Fit) }

// Seen are the figures of one who is held to a promise: times count whether or not a model fits them.
func (m *Measured) Seen() []Figure {
	return m.figures(func(m *controller.Measured) *fit.Fitted {
		fitted := m.Fit()
		for _, part := range []string{fit.PartInstall, fit.PartStatistics} {
			if m.Missing[part] == nil {
				delete(fitted.Missing, part)
			}
		}
		return fitted
	})
}

func (m *Measured) figures(fitted func(*controller.Measured) *fit.Fitted) (list []Figure) {
	for _, part := range []struct {
		name  string
		load  uint64
		sizes []fit.Sized
	}{{PathLatency, 0, m.Latency}, {FlowSetup, 0, m.Setup}} {
		list = append(list, sized(part.name, part.load, part.sizes)...)
	}
	for i := range m.Loads {
		list = append(list, sized(PathLatency, m.Loads[i].RateBPS, m.Loads[i].Sizes)...)
	}
	for q, err := range m.Refused {
		list = append(list, Figure{Quantity: q, Unit: micros, Refused: err})
	}
	if m.Switch != nil {
		list = append(list, seenByController(m.Switch, fitted(m.Switch))...)
	}
	sortFigures(list)
	return list
}

func sized(name string, load uint64, sizes []fit.Sized) (list []Figure) {
	for i := range sizes {
		s := &sizes[i]
		if len(s.Took) > 0 {
			list = append(list, ofTimes(Quantity{name, s.Payload, load}, s.Took))
		}
	}
	return list
}

// ofTimes is a figure of times.
func ofTimes(q Quantity, took []time.Duration) Figure {
	f := Figure{Quantity: q, Unit: micros}
	var spread report.Spread
	for _, d := range took {
		spread.Take(report.Microseconds(d))
	}
	f.Value, f.Runs = spread.Median, spread.Runs
	return f
}

// compared are the sizes of batches and answers that are compared: what is one entry's is hardly
// more than the machine's, so only many are.
var compared = []int{100, 1000}

// seenByController are the figures that only a switch's controller sees. Those of parts without a
// fit are refused with the reason.
func seenByController(m *controller.Measured, fitted *fit.Fitted) (list []Figure) {
	add := func(f Figure, part string) {
		if f.Optional = true; fitted.Missing[part] != nil {
			f = Figure{Quantity: f.Quantity, Unit: f.Unit, Refused: fitted.Missing[part], Optional: true}
		}
		list = append(list, f)
	}
	for _, part := range []struct {
		name, part string
		points     []fit.Timed
	}{{Install, fit.PartInstall, m.Install}, {Answer, fit.PartStatistics, m.Statistics}} {
		for _, n := range compared {
			if i := slices.IndexFunc(part.points, func(t fit.Timed) bool { return t.N == n }); i >= 0 {
				add(ofTimes(Quantity{Name: part.name, Size: n}, part.points[i].Took), part.part)
			}
		}
	}
	list = append(list, ofParts(&fitted.Profile)...)
	for _, rate := range []struct{ name, part string }{{PacketIns, fit.PartPacketIn}, {PacketOuts, fit.PartPacketOut}} {
		if err := fitted.Missing[rate.part]; err != nil {
			list = append(list, Figure{Quantity: Quantity{Name: rate.name}, Unit: perSecond, Refused: err, Optional: true})
		}
	}
	return list
}

// ofParts are the rates, queues and tables of a profile.
func ofParts(p *profile.Profile) (list []Figure) {
	add := func(name, unit string, v float64) {
		if v > 0 {
			list = append(list, Figure{Quantity: Quantity{Name: name}, Unit: unit, Value: v, Optional: true})
		}
	}
	for _, way := range []struct {
		name string
		profile.Rate
	}{{PacketIns, p.PacketIn}, {PacketOuts, p.PacketOut}} {
		add(way.name, perSecond, way.PerSecond)
		add(way.name+", queue", counted, float64(way.Queue))
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"count", p.Tables.Count}, {"entries", p.Tables.Entries}, {"groups", p.Tables.Groups}, {"meters", p.Tables.Meters},
		{"buffers", p.Tables.Buffers}} {
		add(Tables+", "+n.name, counted, float64(n.value))
	}
	return list
}

// Promised are the figures that a profile has, as the probe would see them: batches and answers with
// the round trip of a barrier of whoever is compared with it, loads as they were on the ways.
func Promised(p *profile.Profile, trip time.Duration, oneWay bool) (list []Figure) {
	add := func(q Quantity, took time.Duration) {
		list = append(list, Figure{Quantity: q, Unit: micros, Value: report.Microseconds(took)})
	}
	for _, at := range p.PathLatency.Points {
		add(Quantity{Name: PathLatency, Size: at.Payload}, at.Delay)
	}
	for _, at := range p.FlowSetup.Points {
		add(Quantity{Name: FlowSetup, Size: at.Payload}, at.Delay)
	}
	for _, load := range p.Load.Points {
		for _, at := range underLoad(p, load.RateBPS, oneWay) {
			add(Quantity{PathLatency, at.Payload, load.RateBPS}, at.Delay)
		}
	}
	for _, n := range compared {
		if p.Install != (profile.Install{}) {
			add(Quantity{Name: Install, Size: n}, trip+fit.InstallTime(p.Install, n))
		}
		if p.Statistics != (profile.Statistics{}) {
			add(Quantity{Name: Answer, Size: n}, trip+fit.StatisticsTime(p.Statistics, n))
		}
	}
	list = append(list, ofParts(p)...)
	sortFigures(list)
	return list
}

// underLoad are a profile's path latencies at a rate of load, on one of the ways or on both.
func underLoad(p *profile.Profile, bps uint64, oneWay bool) (points []profile.Point) {
	both := fit.Loaded{OneWay: oneWay && !p.Load.Switch}
	for _, at := range p.PathLatency.Points {
		times := both.Both(p.Load.Times(float64(bps), at.Payload))
		points = append(points, profile.Point{Payload: at.Payload, Delay: time.Duration(float64(at.Delay) * times)})
	}
	return points
}

// order is that of quantities in a table.
var order = []string{PathLatency, FlowSetup, Install, Answer, PacketIns, PacketIns + ", queue", PacketOuts,
	PacketOuts + ", queue"}

func sortFigures(list []Figure) {
	place := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(list, func(a, b Figure) int {
		return cmp.Or(place(a.Name)-place(b.Name), cmp.Compare(a.LoadBPS, b.LoadBPS), a.Size-b.Size,
			cmp.Compare(tablesPlace(a.Name), tablesPlace(b.Name)))
	})
}

// tablesPlace keeps the figures of tables in the order of a profile.
func tablesPlace(name string) int {
	return slices.Index([]string{"count", "entries", "groups", "meters", "buffers"}, name[min(len(name), len(Tables)+2):])
}

// show is a figure with its unit.
func (f *Figure) show() string {
	if f.Refused != nil || f.Value == 0 && f.Unit != micros {
		return "–"
	}
	switch f.Unit {
	case micros:
		return report.FormatMicros(f.Value)
	case perSecond:
		return fmt.Sprintf("%s%s", report.ThreeDigits(f.Value), f.Unit)
	}
	return report.Thousands(f.Value)
}
