package profile

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/strictyaml"
)

func built(t testing.TB, name string) Profile {
	t.Helper()
	p, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestBuiltIn holds each built-in profile to be one, and to say where each of its figures comes
// from.
func TestBuiltIn(t *testing.T) {
	for _, name := range Names() {
		p := built(t, name)
		if p.Name != name || p.About == "" || p.Check() != nil {
			t.Errorf("%s: %q, %q, %v", name, p.Name, p.About, p.Check())
		}
		if p.Ideal() != (name == "ideal") {
			t.Errorf("%s: ideal is %v", name, p.Ideal())
		}
		for _, part := range p.Parts() {
			if part.Source == "" {
				t.Errorf("%s: %s has no source", name, part.Name)
			}
		}
	}
	if _, err := Named("cisco"); err == nil || !strings.Contains(err.Error(), "ideal, ovs, aruba-3810m") {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestArubaIsOvsTimesThePaper holds the ratios of the paper, and between its points the logarithm
// of the payload.
func TestArubaIsOvsTimesThePaper(t *testing.T) {
	ovs, aruba := built(t, "ovs"), built(t, "aruba-3810m")
	for payload, want := range map[int]float64{56: 10, 1500: 10, 10000: 4, 65000: 2, 65507: 2} {
		got := float64(aruba.PathLatency.At(payload)) / float64(ovs.PathLatency.At(payload))
		if got < want*0.999 || got > want*1.001 {
			t.Errorf("path latency at %d is %.3f times that of ovs, want %v", payload, got, want)
		}
	}
	// Of small packets the paper has the time itself; of large ones the ratio, which is 40 where
	// that of small ones is 280/3.
	if got := aruba.FlowSetup.At(56); got < 279*time.Millisecond || got > 281*time.Millisecond {
		t.Errorf("flow set-up of small packets is %v, want 280ms", got)
	}
	small := float64(aruba.FlowSetup.At(56)) / float64(ovs.FlowSetup.At(56))
	large := float64(aruba.FlowSetup.At(65000)) / float64(ovs.FlowSetup.At(65000))
	if got := large / small; got < 0.999*40*3/280 || got > 1.001*40*3/280 {
		t.Errorf("flow set-up: %.1f times that of ovs for small packets, %.1f times for large ones", small, large)
	}
	if aruba.PathLatency.Source != Paper || aruba.Install.Source != Assumed {
		t.Errorf("sources %s, %s", aruba.PathLatency.Source, aruba.Install.Source)
	}
}

func TestLatencyBetweenPoints(t *testing.T) {
	l := Latency{Points: []Point{{100, time.Millisecond}, {10000, 3 * time.Millisecond}}}
	for payload, want := range map[int]time.Duration{1: time.Millisecond, 100: time.Millisecond,
		1000: 2 * time.Millisecond, 10000: 3 * time.Millisecond, 65507: 3 * time.Millisecond} {
		if got := l.At(payload); got < want-time.Nanosecond || got > want+time.Nanosecond {
			t.Errorf("at %d %v, want %v", payload, got, want)
		}
	}
	if (&Latency{}).At(5) != 0 {
		t.Error("no points, and a time")
	}
	falls := Latency{Points: []Point{{100, 3}, {1000, 1}, {10000, 2}}}
	for payload, want := range map[int]time.Duration{50: 1, 100: 1, 1000: 1, 10000: 2, 20000: 2} {
		if got := falls.Least(payload); got != want {
			t.Errorf("from %d on at least %v, want %v", payload, got, want)
		}
	}
	l.P90 = 1.5
	if c := l.Chance(); c.Times(0) != 1 || c.Times(z90) < 1.4999 || c.Times(z90) > 1.5001 || c.Times(100) != most ||
		c.Times(-100) != 1.0/most {
		t.Errorf("chance %v, %v, %v, %v", c.Times(0), c.Times(z90), c.Times(100), c.Times(-100))
	}
	if c := new(Latency).Chance().EachWay(); c != (Chance{}) || c.Times(3) != 1 {
		t.Errorf("no chance is %v", c)
	}
}

// TestTwoWaysMakeTheChanceOfBoth draws two ways, of which the median and nine in ten are those of both.
func TestTwoWaysMakeTheChanceOfBoth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, p90 := range []float64{1.1, 1.5, 2.1, 3} {
		way := (&Latency{P90: p90}).Chance().EachWay()
		both := make([]float64, 200_001)
		for i := range both {
			both[i] = (way.Times(r.NormFloat64()) + way.Times(r.NormFloat64())) / 2
		}
		slices.Sort(both)
		median, nine := both[len(both)/2], both[len(both)*9/10]
		if math.Abs(median-1) > 0.04 || math.Abs(nine/p90-1) > 0.04 {
			t.Errorf("p90 %v: a median of %.3f, and nine in ten below %.3f", p90, median, nine)
		}
	}
}

func TestLoadBetweenPoints(t *testing.T) {
	l := Load{Points: []LoadPoint{{RateBPS: 500, Times: 2}, {RateBPS: 1000, Times: 4}}}
	for bps, want := range map[float64]float64{0: 1, 250: 1.5, 500: 2, 750: 3, 1000: 4, 5000: 4} {
		if got := l.Times(bps, 1500); got != want {
			t.Errorf("at %v %v, want %v", bps, got, want)
		}
	}
}

// TestRefused reads broken files of testdata: each has, as its last lines behind #=, all that is to
// be told of it.
func TestRefused(t *testing.T) {
	files, err := filepath.Glob("testdata/refused/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(string(b)) {
			if text, ok := strings.CutPrefix(line, "#= "); ok {
				want = append(want, strings.TrimSpace(text))
			}
		}
		_, err = Find(file)
		var wrong *strictyaml.FileError
		if !errors.As(err, &wrong) {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got := wrong.Problems.Error(); got != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", file, got, strings.Join(want, "\n"))
		}
	}
}

// TestYAMLIsTheSame has the YAML of each built-in profile read again.
func TestYAMLIsTheSame(t *testing.T) {
	for _, name := range Names()[1:] {
		p := built(t, name)
		again, err := Parse("", []byte(p.YAML()))
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%s: %v\n%+v\nread again is\n%+v", name, err, p, again)
		}
	}
}

const forwarding = `format: 1
name: x
measurement: {date: 2026-11-23, machine: "lab: #3", command: weir probe switch --in 1}
forwarding:
  port: {points: [{frame: 64, rate: 512M}, {frame: 1064, rate: 4256M}, {frame: 2000, rate: 4G}], wait: 5ms}
  switch: {points: [{frame: 1514, rate: 800M}]}
  source: measured
`

// TestForwarding reads how much a switch forwards, and follows the time of a frame: 1 us of 64 and
// 2 us of 1,064 bytes.
func TestForwarding(t *testing.T) {
	p, err := Parse("", []byte(forwarding))
	if err != nil {
		t.Fatal(err)
	}
	for frame, want := range map[int]float64{32: 500, 64: 1000, 564: 1500, 1064: 2000, 2000: 4000, 4000: 8000} {
		if got := p.Forwarding.Port.Takes(frame); got < want-0.01 || got > want+0.01 {
			t.Errorf("%d bytes take %v ns, want %v", frame, got, want)
		}
	}
	if got := p.Forwarding.Switch.Takes(757); got < 7569.9 || got > 7570.1 {
		t.Errorf("757 bytes take %v ns", got)
	}
	if (&Throughput{}).Takes(1514) != 0 || p.Ideal() || !p.Delays() {
		t.Errorf("no points take time, or a switch that forwards less than all is ideal")
	}
	if again, err := Parse("", []byte(p.YAML())); err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("%v: read again is\n%+v, want\n%+v", err, again, p)
	}
	if p.Measurement != (Measurement{"2026-11-23", "lab: #3", "weir probe switch --in 1"}) {
		t.Errorf("measurement %+v", p.Measurement)
	}
	if len(p.Parts()) != 1 || p.Parts()[0].Source != Measured || p.Forwarding.Port.Wait != 5*time.Millisecond {
		t.Errorf("parts %+v", p.Parts())
	}
}

// FuzzParse wants what is read to be whole, and its YAML to be the same profile.
func FuzzParse(f *testing.F) {
	for _, name := range Names()[1:] {
		p := built(f, name)
		f.Add([]byte(p.YAML()))
		b, err := builtin.ReadFile(name + ".yaml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(forwarding))
	files, _ := filepath.Glob("testdata/refused/*.yaml")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Parse("x", b)
		if err != nil {
			if problems := new(strictyaml.Problems); !errors.As(err, problems) || len(*problems) == 0 {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		if err := p.Check(); err != nil {
			t.Fatalf("read, and refused: %v", err)
		}
		again, err := Parse("x", []byte(p.YAML()))
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("%v\n%+v\nread again from\n%s\nis\n%+v", err, p, p.YAML(), again)
		}
		for _, payload := range []int{1, 56, 1500, 65507} {
			if d := p.PathLatency.At(payload); d < 0 || d > MaxDelay {
				t.Fatalf("path latency %v at %d", d, payload)
			}
		}
	})
}

const calibrated = `format: 1
name: x
flow_setup: {points: [{payload: 56, delay: 3ms}], devices: [{payload: 56, delay: 100us}], source: measured}
path_latency:
  points: [{payload: 100, delay: 1ms}, {payload: 10000, delay: 3ms}]
  devices: [{payload: 100, delay: 100us}, {payload: 1000, delay: 900us}, {payload: 10000, delay: 500us}]
  source: measured
load:
  points:
    - {rate: 1M, times: 1.5, sizes: [{payload: 100, times: 1.2}, {payload: 10000, times: 2}]}
    - {rate: 2M, times: 3}
  source: measured
`

const awake = `name: x
path_latency: {points: [{payload: 100, delay: 1ms}], devices: [{payload: 100, delay: 200us}]}
load:
  of: switch
  points:
    - {rate: 1M, times: 0.5, sizes: [{payload: 100, times: 0.25}], devices: [{payload: 100, delay: 100us}]}
    - {rate: 2M, times: 0.75}
`

// TestLoadOfTheSwitch reads a load that makes the whole switch faster, and what devices take under it.
func TestLoadOfTheSwitch(t *testing.T) {
	p, err := Parse("", []byte(awake))
	if err != nil || !p.Load.Switch {
		t.Fatalf("%v, %+v", err, p.Load)
	}
	for bps, want := range map[float64]struct {
		times   float64
		devices time.Duration
	}{0: {1, 200_000}, 5e5: {0.625, 150_000}, 1e6: {0.25, 100_000}, 1.5e6: {0.5, 100_000}, 3e6: {0.75, 100_000}} {
		at := func(points []Point) time.Duration { return At(points, 100) }
		if times, devices := p.Load.Times(bps, 100), p.Load.Devices(bps, p.PathLatency.DevicesAt(100), at); times != want.times ||
			devices != want.devices {
			t.Errorf("%g bit/s: %v times, devices %v, want %v, %v", bps, times, devices, want.times, want.devices)
		}
	}
	again, err := Parse("", []byte(p.YAML()))
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("%v\n%+v\nread again is\n%+v", err, p, again)
	}
	for text, why := range map[string]string{
		strings.Replace(awake, "of: switch", "of: port", 1):                                           "times 0.25 given",
		strings.Replace(awake, "of: switch", "of: all", 1):                                            "want port or switch",
		strings.Replace(awake, "times: 0.75", "times: 0.0001", 1):                                     "want a factor from 0.001",
		strings.Replace(awake, "delay: 100us}]}\n", "delay: 100us}, {payload: 9, delay: 1us}]}\n", 1): "in order of payload",
	} {
		if _, err := Parse("", []byte(text)); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %q, of\n%s", err, why, text)
		}
	}
}

// TestCalibrated reads what the devices take, and how load lengthens what by its payload.
func TestCalibrated(t *testing.T) {
	p, err := Parse("", []byte(calibrated))
	if err != nil {
		t.Fatal(err)
	}
	for payload, want := range map[int]time.Duration{50: 100_000, 100: 100_000, 1000: 900_000, 10000: 500_000, 60000: 500_000} {
		if got := p.PathLatency.DevicesAt(payload); got != want {
			t.Errorf("devices at %d: %v, want %v", payload, got, want)
		}
	}
	devices := p.PathLatency.Devices
	if Most(devices, 60) != 900_000 || Most(devices, 5000) < 500_000 || Most(p.FlowSetup.Devices, 1) != 100_000 {
		t.Errorf("most: %v, %v", Most(devices, 60), Most(devices, 5000))
	}
	for _, c := range []struct {
		bps     float64
		payload int
		want    float64
	}{{5e5, 100, 1.1}, {1e6, 50, 1.2}, {1e6, 1000, 1.6}, {1e6, 20000, 2}, {1.5e6, 10000, 2.5}, {3e6, 100, 3}} {
		if got := p.Load.Times(c.bps, c.payload); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%g bit/s at %d: %v, want %v", c.bps, c.payload, got, c.want)
		}
	}
	if p.Load.Least(1e6) != 1.2 || p.Load.Least(2e6) != 3 {
		t.Errorf("least: %v, %v", p.Load.Least(1e6), p.Load.Least(2e6))
	}
	again, err := Parse("", []byte(p.YAML()))
	if err != nil || !reflect.DeepEqual(again, p) {
		t.Errorf("%v\n%+v\nread again is\n%+v", err, p, again)
	}
}
