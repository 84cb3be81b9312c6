package calibration

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/emu/topo"
	"github.com/weirnet/weir/internal/need"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/fit"
	"github.com/weirnet/weir/probe/nic"
)

func took(us ...float64) (list []time.Duration) {
	for _, v := range us {
		list = append(list, time.Duration(v*1e3))
	}
	return list
}

var errQuiet = errors.New("the load did not reach its rate")

// sample is what was measured of a switch, its times being so many times as long.
func sample(times float64) *Measured {
	m := &Measured{
		Latency: []fit.Sized{{Payload: 56, Took: took(90*times, 100*times, 300*times)},
			{Payload: 1500, Took: took(2000 * times)}},
		Setup: []fit.Sized{{Payload: 56, Took: took(5000 * times)}, {Payload: 1500}},
		Loads: []fit.Loaded{{RateBPS: 500e6, OneWay: true,
			Sizes: []fit.Sized{{Payload: 56}, {Payload: 1500, Took: took(3000 * times)}}}},
		Switch: &controller.Measured{},
	}
	m.Switch.RoundTrip = took(10)
	m.Switch.Install = []fit.Timed{{N: 0, Took: took(10)}, {N: 1, Took: took(12 * times)}, {N: 10, Took: took(30 * times)},
		{N: 100, Took: took(210 * times)}, {N: 1000, Took: took(2010 * times)}}
	m.Switch.Tables = profile.Tables{Count: 4, Entries: 4096}
	m.Switch.Missing = map[string]error{fit.PartPacketIn: errQuiet, fit.PartPacketOut: errQuiet, fit.PartStatistics: errQuiet}
	return m
}

func row(t *testing.T, c *Comparison, q Quantity) *Row {
	t.Helper()
	for i := range c.Rows {
		if c.Rows[i].Quantity == q {
			return &c.Rows[i]
		}
	}
	t.Fatalf("no row of %v in %+v", q, c.Rows)
	return nil
}

// TestMarks has each of the marks.
func TestMarks(t *testing.T) {
	m, twin, floor := sample(1), sample(1.05), sample(0)
	twin.Latency[1].Took = took(2201)
	twin.Setup[0].Took = nil
	twin.refuse(Quantity{Name: FlowSetup, Size: 56}, errQuiet)
	floor.Latency[0].Took = took(101)
	m.refuse(Quantity{PathLatency, 56, 500e6}, errQuiet)
	c := Compare("switch", "twin", m.Figures(), twin.Figures(), floor.Figures())
	for _, want := range []struct {
		q    Quantity
		mark Mark
	}{
		{Quantity{PathLatency, 56, 0}, AtFloor}, {Quantity{PathLatency, 1500, 0}, Beyond},
		{Quantity{PathLatency, 56, 500e6}, NoWant},
		{Quantity{PathLatency, 1500, 500e6}, Within}, {Quantity{FlowSetup, 56, 0}, NoSeen}, {Quantity{Install, 1000, 0}, Within},
		{Quantity{Name: PacketIns}, NoWant}, {Quantity{Name: Tables + ", entries"}, Within},
	} {
		if got := row(t, c, want.q); got.Mark != want.mark {
			t.Errorf("%v: %q, want %q: %+v", want.q, got.Mark, want.mark, got)
		}
	}
	why := c.Why()
	for _, want := range []string{"path latency, 1,500 bytes: 1.10 times the switch", "flow set-up, 56 bytes: not seen",
		"path latency, 56 bytes, under 500 Mbit/s: not measured"} {
		if !strings.Contains(why, want) {
			t.Errorf("%q is not in %q", want, why)
		}
	}
	if strings.Count(why, ";") != 2 || !c.Failed() {
		t.Errorf("why: %q", why)
	}
	if c := Compare("switch", "twin", sample(1).Figures(), sample(1.09).Figures(), nil); c.Failed() {
		t.Errorf("9 %% off: %s", c.Why())
	}
	if c := Compare("switch", "twin", sample(1).Figures(), sample(0.89).Figures(), nil); !c.Failed() {
		t.Error("11 % too fast is not beyond")
	}
}

// TestTimesNeedNoModel has times whose model does not fit: of a twin they count, of a switch no profile promises them.
func TestTimesNeedNoModel(t *testing.T) {
	m := sample(1)
	for i := range m.Switch.Install[:3] {
		m.Switch.Install[i].Took = took(1900)
	}
	q := Quantity{Name: Install, Size: 1000}
	if c := Compare("switch", "twin", sample(1).Figures(), m.Seen(), nil); row(t, c, q).Mark != Within || c.Failed() {
		t.Errorf("a twin's: %+v, %s", row(t, c, q), c.Why())
	}
	if c := Compare("switch", "twin", m.Figures(), sample(1).Seen(), nil); row(t, c, q).Mark != NoWant {
		t.Errorf("a switch's: %+v", row(t, c, q))
	}
}

// TestPromisedIsWhatIsSeen has a profile promise what it was fitted to.
func TestPromisedIsWhatIsSeen(t *testing.T) {
	m := sample(1)
	r := &Result{Measured: m, Switch: m.Switch}
	inside := r.fitInside()
	r.Notes = append(r.fitOutside(), inside...)
	if err := r.Profile.Check(); err != nil {
		t.Fatal(err)
	}
	c := Compare("profile", "switch", Promised(&r.Profile, 10*time.Microsecond, true), m.Figures(), nil)
	for _, q := range []Quantity{{PathLatency, 56, 0}, {PathLatency, 1500, 0}, {PathLatency, 1500, 500e6}, {FlowSetup, 56, 0},
		{Install, 100, 0}, {Install, 1000, 0}} {
		if got := row(t, c, q); got.Mark != Within {
			t.Errorf("%v: %+v", q, got)
		}
	}
	file := r.File()
	again, err := profile.Parse("x", []byte(file))
	if err != nil || again.PathLatency.Source != profile.Measured || again.Load.Points[0].RateBPS != 500e6 {
		t.Errorf("%v\n%s", err, file)
	}
	for _, want := range []string{"# path_latency: ", "# no packet_in: the load did", "# install: "} {
		if !strings.Contains(file, want) {
			t.Errorf("%q is not in\n%s", want, file)
		}
	}
}

// TestReports has a comparison as text, a page and a table of values.
func TestReports(t *testing.T) {
	m, twin := sample(1), sample(1.5)
	m.refuse(Quantity{PathLatency, 56, 500e6}, errQuiet)
	c := Compare("switch", "twin", m.Figures(), twin.Figures(), sample(0.1).Figures())
	cfg := Config{}
	r := cfg.Report("probe calibrate", "a switch and its twin", c)
	var text, page, table bytes.Buffer
	if err := errors.Join(r.Print(&text), report.WriteHTML(&page, []*report.Report{r}), WriteCSV(&table, c)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"switch and twin", "1,500 bytes", "500 Mbit/s", "beyond", "not measured", "2.00 ms"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
	if !strings.Contains(page.String(), "<td>1,500 bytes</td>") || !r.Refused() {
		t.Errorf("%v, %s", r.Refused(), page.String())
	}
	lines, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(lines) != len(c.Rows)+1 {
		t.Errorf("%d lines of %d rows: %v", len(lines), len(c.Rows), err)
	}
}

func TestChecks(t *testing.T) {
	for name, edit := range map[string]func(c *Config){
		"sizes [1500 56]":          func(c *Config) { c.Sizes = []int{1500, 56} },
		"size 0 given":             func(c *Config) { c.Sizes = []int{0, 56} },
		"interfaces of load or":    func(c *Config) { c.Rates = []float64{1e6} },
		"rates [1e+06 1e+06]":      func(c *Config) { c.Rates, c.Streams = []float64{1e6, 1e6}, 1 },
		"101 turns given":          func(c *Config) { c.Turns = 101 },
		"1 flows given":            func(c *Config) { c.Flows = 1 },
		"load of 3 bit/s given":    func(c *Config) { c.Rates, c.Streams = []float64{3}, 2 },
		"b given twice, want two ": func(c *Config) { c.From = c.To },
	} {
		c := Config{}
		c.From.Interface, c.To.Interface = "a", "b"
		edit(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNothingToCompare: a profile without figures is refused, and nothing beside nothing is not alike.
func TestNothingToCompare(t *testing.T) {
	c := Config{}
	err := c.Follow(&profile.Profile{Name: "ideal"})
	if err == nil || !strings.Contains(err.Error(), "profile ideal promises nothing") {
		t.Errorf("%v", err)
	}
	if c := Compare("profile", "switch", nil, sample(1).Figures(), nil); !c.Failed() {
		t.Error("a comparison of nothing has not failed")
	}
}

// TestFollow has a verification measure what a profile says.
func TestFollow(t *testing.T) {
	p := profile.Profile{
		PathLatency: profile.Latency{Points: []profile.Point{{Payload: 56, Delay: 1}, {Payload: 1500, Delay: 1}}},
		Load:        profile.Load{Points: []profile.LoadPoint{{RateBPS: loadBPS(2, 250e6), Times: 2}}}}
	c := Config{}
	if err := c.Follow(&p); err != nil {
		t.Fatal(err)
	}
	if len(c.Sizes) != 2 || c.Streams != 2 || loadBPS(c.Streams, c.Rates[0]) != p.Load.Points[0].RateBPS {
		t.Errorf("%+v", c)
	}
}

// TestLoadRates: what leaves under the load that is asked for is what the profile says, to the bit.
func TestLoadRates(t *testing.T) {
	for streams := 1; streams <= 4; streams++ {
		for bps := uint64(1e3); bps <= 10e9; bps += bps/997 + 1 {
			if got := loadBPS(streams, loadRate(streams, bps)); got != bps {
				t.Fatalf("%d streams: %d bit/s, want %d", streams, got, bps)
			}
		}
		p := profile.Profile{PathLatency: profile.Latency{Points: []profile.Point{{Payload: 56, Delay: 1}}},
			Load: profile.Load{Points: []profile.LoadPoint{{RateBPS: 9_876_543_211, Times: 2}}}}
		c := Config{LoadFrom: []nic.Config{{Interface: "c"}, {Interface: "d"}, {Interface: "e"}, {Interface: "f"}}[:streams]}
		c.From.Interface, c.To.Interface = "a", "b"
		if err := c.Follow(&p); err != nil || loadBPS(c.Streams, c.Rates[0]) != p.Load.Points[0].RateBPS {
			t.Errorf("%d streams: %v, %v", streams, c.Rates, err)
		}
	}
}

// TestLoadThatWasNotMeasured is missing where it was asked for, and not wanted where it was not.
func TestLoadThatWasNotMeasured(t *testing.T) {
	p := profile.Profile{PathLatency: profile.Latency{Points: []profile.Point{{Payload: 56, Delay: time.Millisecond}}},
		Load: profile.Load{Points: []profile.LoadPoint{{RateBPS: 500e6, Times: 2}}}}
	m := &Measured{Latency: []fit.Sized{{Payload: 56, Took: took(1000)}}}
	c := Compare("profile", "switch", promised(&p, m, true), m.Figures(), nil)
	if got := row(t, c, Quantity{PathLatency, 56, 500e6}); got.Mark != NoSeen || !c.Failed() {
		t.Errorf("%+v", got)
	}
	if c := Compare("profile", "switch", promised(&p, m, false), m.Figures(), nil); len(c.Rows) != 1 || c.Failed() {
		t.Errorf("%+v", c)
	}
}

// TestEmulatorsOwnTime has a mark of its own, in notes too, and is no floor of the switch.
func TestEmulatorsOwnTime(t *testing.T) {
	figure := func(name string, us float64) []Figure {
		return []Figure{{Quantity: Quantity{Name: name, Size: 100}, Unit: micros, Value: us}}
	}
	for _, x := range []struct {
		name              string
		want, seen, floor float64
		mark              Mark
	}{
		{Install, 1000, 1200, 300, EmulatorsOwn}, {Answer, 1000, 1200, 300, EmulatorsOwn},
		{Install, 1000, 1400, 300, Beyond}, {Install, 1000, 800, 300, Beyond}, {Install, 200, 450, 300, AtFloor},
		{PathLatency, 1000, 1200, 300, Beyond}, {Install, 1000, 1050, 300, Within},
	} {
		r := Result{Twin: Compare("switch", "twin", figure(x.name, x.want), figure(x.name, x.seen), figure(x.name, x.floor))}
		r.Notes = r.floors()
		if got := r.Twin.Rows[0]; got.Mark != x.mark || r.Twin.Failed() != (x.mark == Beyond) {
			t.Errorf("%+v: %q", x, got.Mark)
		}
		noted := strings.Join(r.Notes, "\n")
		marked := x.mark == EmulatorsOwn || x.mark == AtFloor
		if marked && !strings.HasPrefix(noted, string(x.mark)+": ") || !marked && noted != "" {
			t.Errorf("%+v: %q", x, noted)
		}
	}
}

// TestUntimed: what is opened besides asks for no stamps that would have to be switched on.
func TestUntimed(t *testing.T) {
	at := nic.Config{Interface: "a", Namespace: "h1"}
	for _, s := range []nic.Stamps{nic.Software, nic.Hardware, nic.Best} {
		at.Stamps = s
		if got := untimed(at); got != (nic.Config{Interface: "a", Namespace: "h1", AsIs: true, Kept: 1}) {
			t.Errorf("%v: %+v", s, got)
		}
	}
}

// TestVersionOfASwitchThatWent: twins speak what it spoke.
func TestVersionOfASwitchThatWent(t *testing.T) {
	ctrl, err := controller.Listen("127.0.0.1:0", controller.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer ctrl.Close(context.Background())
	c := Config{}
	c.From.Interface, c.To.Interface, c.Controller = "a", "b", ctrl
	if got := c.versions(); got != nil {
		t.Errorf("before a switch: %v", got)
	}
	top, err := topo.Parse("single:1,hosts=0", 1)
	if err != nil {
		t.Fatal(err)
	}
	network, err := emu.New(emu.Config{Topology: top, Versions: []openflow.Version{openflow.V10},
		Controllers: []string{ctrl.Address()}})
	if err != nil {
		t.Fatal(err)
	}
	defer network.Close(context.Background())
	if err := errors.Join(network.Start(t.Context()), ctrl.ReadyWithin(t.Context(), need.Patience), c.Check()); err != nil {
		t.Fatal(err)
	}
	network.Switches()[0].Down()
	need.Await(t, "the switch is gone", func() bool { return ctrl.Version() == 0 })
	if got := c.versions(); len(got) != 1 || got[0] != openflow.V10 {
		t.Errorf("%v, want 1.0", got)
	}
}

// FuzzCompare has any figures give rows with marks.
func FuzzCompare(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, uint8(0))
	f.Add(1.0, math.NaN(), 0.0, uint8(1))
	f.Add(math.Inf(1), math.Inf(1), 0.0, uint8(2))
	f.Fuzz(func(t *testing.T, want, seen, floor float64, kind uint8) {
		figure := func(v float64) []Figure {
			unit := []string{micros, perSecond, counted}[kind%3]
			return []Figure{{Quantity: Quantity{Name: Install, Size: 1}, Unit: unit, Value: v}}
		}
		c := Compare("a", "b", figure(want), figure(seen), figure(floor))
		r := c.Rows[0]
		alike := seen/want >= 0.89 && seen/want <= 1.11 || want <= 0 && seen <= 0
		if r.Mark == Within && !alike || (r.Mark == Within || r.Mark == AtFloor || r.Mark == EmulatorsOwn) == c.Failed() {
			t.Errorf("%v and %v, floor %v: %+v, failed: %v", want, seen, floor, r, c.Failed())
		}
		table := c.table()
		if len(table.Rows) != 1 || len(table.Rows[0]) != len(table.Head) || table.Rows[0][len(table.Head)-1] != string(r.Mark) {
			t.Errorf("%+v of %+v", table, r)
		}
	})
}

// TestFollowTakesLoad: sizes and rates are the profile's; interfaces of load are not needed where it has none.
func TestFollowTakesLoad(t *testing.T) {
	p, err := profile.Named("aruba-3810m")
	if err != nil {
		t.Fatal(err)
	}
	c := Config{LoadFrom: []nic.Config{{Interface: "eth3"}}, Rates: []float64{5e6}}
	c.From.Interface, c.To.Interface = "eth1", "eth2"
	if err := c.Follow(&p); err != nil || len(c.Rates) != len(p.Load.Points) || c.Streams != 1 || len(c.LoadFrom) != 1 {
		t.Errorf("%v: %+v", err, c)
	}
	p.Load.Points = nil
	if err := c.Follow(&p); err != nil || len(c.Rates) != 0 || c.Streams != 0 || len(c.LoadFrom) != 0 {
		t.Errorf("%v: %+v", err, c)
	}
}

// TestDevicesAreTypical: what one twin of several says is outvoted, and the first, which is without chance, no
// longer counts when there are enough others.
func TestDevicesAreTypical(t *testing.T) {
	at := []profile.Point{{Payload: 56, Delay: time.Millisecond}, {Payload: 1500, Delay: time.Millisecond}}
	curve := func(us ...int) (points []profile.Point) {
		for i, v := range us {
			points = append(points, profile.Point{Payload: at[i].Payload, Delay: time.Duration(v) * time.Microsecond})
		}
		return points
	}
	for _, x := range []struct {
		all  [][]profile.Point
		want []profile.Point
	}{
		{[][]profile.Point{nil}, nil},
		{[][]profile.Point{curve(10, 20)}, curve(10, 20)},
		{[][]profile.Point{curve(10, 20), curve(20, 40)}, curve(15, 30)},
		{[][]profile.Point{curve(10, 20), curve(900, 900), curve(20, 40)}, curve(20, 40)},
		{[][]profile.Point{curve(900, 900), curve(10, 20), nil, curve(20, 40)}, curve(10, 20)},
		{[][]profile.Point{nil, nil, curve(20, 40)}, nil},
	} {
		if got := typical(at, x.all); !slices.Equal(got, x.want) {
			t.Errorf("%v: %v, want %v", x.all, got, x.want)
		}
	}
}

// TestDevicesAreFound has twins between devices that take a known time: it is found, without load
// and under it, where a port's load is on one of the ways only.
func TestDevicesAreFound(t *testing.T) {
	ms := func(v float64) time.Duration { return time.Duration(v * float64(time.Millisecond)) }
	p := profile.Profile{PathLatency: profile.Latency{Points: []profile.Point{{Payload: 56, Delay: ms(2)}}},
		FlowSetup: profile.Setup{Latency: profile.Latency{Points: []profile.Point{{Payload: 56, Delay: ms(10)}}}},
		Load: profile.Load{Points: []profile.LoadPoint{{RateBPS: 1e8, Times: 3,
			Sizes: []profile.Factor{{Payload: 56, Times: 3}}}}}}
	const path, setup, load = 0.4, 1.0, 0.6
	var d devices
	for range corrections {
		// Under load a way takes three times as long, the other one what it takes without.
		loaded := 4 + load - loadDevices(&p).Seconds()*1e3/2 -
			p.PathLatency.DevicesAt(56).Seconds()*1e3/2
		m := &Measured{
			Latency: []fit.Sized{{Payload: 56, Took: []time.Duration{ms(2+path) - p.PathLatency.DevicesAt(56)}}},
			Setup:   []fit.Sized{{Payload: 56, Took: []time.Duration{ms(10+setup) - p.FlowSetup.DevicesAt(56)}}},
			Loads: []fit.Loaded{{RateBPS: 1e8, OneWay: true,
				Sizes: []fit.Sized{{Payload: 56, Took: []time.Duration{ms(loaded)}}}}},
		}
		d.take(&p, m)
	}
	near := func(got time.Duration, want float64) bool { return math.Abs(got.Seconds()*1e3-want) < 0.01 }
	if got := p.PathLatency.DevicesAt(56); !near(got, path) {
		t.Errorf("path: %v, want %v ms", got, path)
	}
	if got := p.FlowSetup.DevicesAt(56); !near(got, setup) {
		t.Errorf("set-up: %v, want %v ms", got, setup)
	}
	if got := profile.At(p.Load.Points[0].Devices, 56); !near(got, 2*load-path) {
		t.Errorf("under load: %v, want %v ms", got, 2*load-path)
	}
}

// loadDevices are those that an emulated switch takes off under load.
func loadDevices(p *profile.Profile) time.Duration {
	if list := p.Load.Points[0].Devices; list != nil {
		return profile.At(list, 56)
	}
	return p.PathLatency.DevicesAt(56)
}
