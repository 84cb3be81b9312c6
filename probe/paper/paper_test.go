package paper

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/weirnet/weir/bench/report"
	"github.com/weirnet/weir/internal/golden"
)

// bedOf gives figures that follow from the point, and fails as it is told.
type bedOf struct {
	slow    float64 // how many times as long as the fast one it takes
	left    int     // runs until it is interrupted; -1: never
	refuse  string  // points with this in their names have no result
	refusal error
	log     []string
}

var errInterrupted = errors.New("interrupted")

func (b *bedOf) Measure(_ context.Context, p Point) (*report.Result, error) {
	if b.left == 0 {
		return nil, errInterrupted
	}
	b.left--
	b.log = append(b.log, p.String())
	x := &report.Result{Subject: "of the bed"}
	if b.refuse != "" && strings.Contains(p.String(), b.refuse) {
		x.Refuse(b.refusal)
		return x, nil
	}
	v := b.slow * float64(p.Size) / 100 * (1 + float64(p.Background)/250)
	switch p.Kind {
	case Latency:
		for i := range 3 {
			x.Take(FigurePath, "µs", v+float64(i))
			x.Take(FigurePing, "µs", v+10+float64(i))
		}
	case Setup:
		x.Take(FigureSetup, "µs", 100*v)
		x.Take(FigureSetupPing, "µs", 150*v)
	case TCP:
		x.Take(FigureThroughput, "Mbit/s", 90000/v)
	case UDP:
		x.Take(FigureThroughput, "Mbit/s", 95000/v)
		x.Take(FigureJitter, "µs", v/10)
		x.Take(FigureLoss, "%", float64(p.Background)/1000)
	}
	return x, nil
}

// asked is a campaign by the arguments of a command.
func asked(c *golden.Command) Campaign {
	p := Full
	if c.Arg("quick", "") != "" {
		p = Short
	}
	p.Hosts, p.Stamps, p.Controlled = [Hosts]string{"eth1", "eth2", "eth3", "eth4"}, "software", c.Arg("controlled", "") != ""
	if n, err := strconv.Atoi(c.Arg("transfers", "")); err == nil {
		p.Transfers = n
	}
	return Campaign{Parameters: p, Switch: c.Arg("switch", ""), Machine: report.Machine{CPU: "a machine", Date: "2026-11-23"},
		Build: "weir", Command: "weir probe paper"}
}

// conversation is two stores: the one that is open, and those that were closed, by their directory.
type conversation struct {
	dir   string
	store *Store
}

var tempDir = regexp.MustCompile(`/\S*/store-`)

func (x *conversation) do(t *testing.T, c *golden.Command) string {
	fail := func(err error) string { return "error: " + tempDir.ReplaceAllString(err.Error(), "store-") }
	points := func() []Point {
		var only []string
		if s := c.Arg("only", ""); s != "" {
			only = strings.Split(s, ",")
		}
		list, err := Choose(x.store.Parameters.Plan(), only)
		if err != nil {
			t.Log(err)
		}
		return list
	}
	var out strings.Builder
	switch c.Name {
	case "open":
		s, err := Open(filepath.Join(x.dir, "store-"+c.Args[0]), asked(c))
		if err != nil {
			return fail(err)
		}
		x.store = s
		plan := s.Parameters.Plan()
		fmt.Fprintf(&out, "%d of %d points are over, about %v are left", s.Progress(plan), len(plan), s.Takes(plan))
	case "close":
		if err := x.store.Close(); err != nil {
			return fail(err)
		}
	case "plan":
		for _, p := range points() {
			fmt.Fprintln(&out, p)
		}
	case "choose":
		if _, err := Choose(x.store.Parameters.Plan(), c.Args); err != nil {
			return fail(err)
		}
	case "hosts":
		h, err := ParseHosts(c.Rest)
		if err != nil {
			return fail(err)
		}
		fmt.Fprintf(&out, "%q", h)
	case "run":
		b := &bedOf{slow: 1, left: -1, refuse: c.Arg("refuse", ""), refusal: errors.New("the load does not reach its rate")}
		if n, err := strconv.Atoi(c.Arg("interrupt", "")); err == nil {
			b.left = n
		}
		if n, err := strconv.ParseFloat(c.Arg("slow", ""), 64); err == nil {
			b.slow = n
		}
		err := x.store.Run(t.Context(), b, points(), c.Arg("again", "") != "",
			func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) })
		if err != nil {
			fmt.Fprintln(&out, fail(err))
		}
		fmt.Fprintf(&out, "%d runs", len(b.log))
	case "report":
		for _, r := range x.store.Reports(points()) {
			if err := r.Print(&out); err != nil {
				return fail(err)
			}
		}
	case "csv":
		if err := x.store.WriteCSV(&out, points()); err != nil {
			return fail(err)
		}
	case "compare":
		var both [2]*Campaign
		for i, name := range c.Args {
			var err error
			if both[i], err = Read(filepath.Join(x.dir, "store-"+name)); err != nil {
				return fail(err)
			}
		}
		compared := Compare(both[0], both[1])
		if err := compared.Print(&out); err != nil {
			return fail(err)
		}
		if err := checkRows(compared); err != nil {
			return fail(err)
		}
	default:
		t.Fatalf("%s:%d: no command %s", c.File, c.Line, c.Name)
	}
	return strings.TrimRight(out.String(), "\n")
}

// checkRows holds the report of a comparison to what reports are, and to a result for each row.
func checkRows(c *Comparison) error {
	b, err := json.Marshal(c.Report())
	if err != nil {
		return err
	}
	r, err := report.Read(bytes.NewReader(b))
	if err != nil {
		return err
	}
	for i, row := range c.Rows {
		if refused := r.Results[i].Refused != ""; refused != (row.Missing != nil) || r.Results[i].Subject != row.Name {
			return fmt.Errorf("row %s: %+v", row.Name, r.Results[i])
		}
	}
	return nil
}

// TestCampaigns goes through campaigns that are written as text.
func TestCampaigns(t *testing.T) {
	golden.Each(t, "testdata/campaign", func(t *testing.T, path string) {
		x := &conversation{dir: t.TempDir()}
		golden.Run(t, path, x.do)
	})
}

// begun is a store's file after so many runs of points that begin so.
func begun(t testing.TB, runs int, only ...string) []byte {
	s, err := Open(t.TempDir(), asked(&golden.Command{Args: []string{"controlled=yes", "quick=yes"}}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	points, err := Choose(s.Parameters.Plan(), only)
	if err != nil {
		t.Fatal(err)
	}
	b := &bedOf{slow: 1, left: runs, refuse: "2x375", refusal: errors.New("no")}
	if err := s.Run(t.Context(), b, points, false, func(string, ...any) {}); !errors.Is(err, errInterrupted) {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(s.dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestDecodeRefuses: a file that was damaged, or is of another format, is refused with what is wrong.
func TestDecodeRefuses(t *testing.T) {
	whole := string(begun(t, 5))
	if _, err := Decode([]byte(whole)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{`"format": 1`, `"format": 2`, "format 2 given, want 1"},
		{`"probes": 5`, `"probes": 0`, "0 probes given"},
		{`"transfers": 2`, `"transfers": 2000`, "2000 transfers given"},
		{`"transfer_seconds": 3`, `"transfer_seconds": 1e300`, "transfers of 1e+300 s given"},
		{`"udp_mbps": 900`, `"udp_mbps": 0`, "a rate of 0 Mbit/s given"},
		{`"eth2"`, `"eth1"`, "eth1 given for H1 and H2"},
		{`"stamps": "software"`, `"stamps": "sundial"`, "stamps"},
		{`"latency/reactive/0/1500"`, `"latency/reactive/0/1501"`, "none of this campaign"},
		{`"latency/reactive/0/10000"`, `"latency/reactive/0/1500"`, "given twice"},
		{`"runs": 1,`, `"runs": 9,`, "9 runs given, want 1 to 1"},
		{`"median": 16`, `"median": 16e20`, "out of bounds"},
		{`{`, `[`, "no results of weir probe paper"},
	} {
		bad := strings.Replace(whole, c.from, c.to, 1)
		if bad == whole {
			t.Errorf("%s is not in the file", c.from)
		}
		if _, err := Decode([]byte(bad)); err == nil || !errors.Is(err, errStore) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.to, c.from, err, c.want)
		}
	}
	if _, err := Decode(bytes.Repeat([]byte{' '}, maxFile+1)); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Error(err)
	}
}

// FuzzDecode: whatever a file holds, it is refused, or fits its plan, can be shown, and is read again
// as it was.
func FuzzDecode(f *testing.F) {
	f.Add(begun(f, 2, "udp/reactive/0"))
	f.Add(begun(f, 1, "latency/installed/2x375"))
	f.Add([]byte(`{"format":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Decode(b)
		if err != nil {
			return
		}
		plan := c.Parameters.Plan()
		if c.Progress(plan) > len(plan) || len(c.Points) > len(plan) || c.Takes(plan) < 0 {
			t.Fatalf("%d points of %d", len(c.Points), len(plan))
		}
		var shown bytes.Buffer
		for _, r := range c.Reports(plan) {
			if err := r.Print(&shown); err != nil {
				t.Fatal(err)
			}
		}
		if err := Compare(c, c).Print(&shown); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		if text2, err := json.Marshal(again); err != nil || !bytes.Equal(text, text2) {
			t.Fatalf("%v: %s\nand again\n%s", err, text, text2)
		}
	})
}

// bedAs measures with a function.
type bedAs func(p Point) *report.Result

func (b bedAs) Measure(_ context.Context, p Point) (*report.Result, error) { return b(p), nil }

// measuredAs is what a store has of some points when it is read again; its reports are read too.
func measuredAs(t *testing.T, a Campaign, bed bedAs, only ...string) *Campaign {
	t.Helper()
	s, err := Open(t.TempDir(), a)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	points, err := Choose(s.Parameters.Plan(), only)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context(), bed, points, false, t.Logf); err != nil {
		t.Fatal(err)
	}
	c, err := Read(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Reports(points) {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := report.Read(bytes.NewReader(text)); err != nil {
			t.Error(err)
		}
	}
	return c
}

// TestWhatIsKeptIsReadAgain: a flow set-up below 0, and as many runs as parameters allow, twice as many
// of the own share. What could not be read again is refused.
func TestWhatIsKeptIsReadAgain(t *testing.T) {
	a := asked(&golden.Command{Args: []string{"controlled=yes"}})
	a.Parameters.Probes = MaxProbes
	c := measuredAs(t, a, func(p Point) *report.Result {
		x := &report.Result{}
		for i := range MaxProbes {
			x.Take(FigureSetup, "µs", float64(i-3))
			x.Take("own share", "µs", 40, 41)
		}
		switch p.Size {
		case 10000:
			x.Take(FigureSetup, "µs", math.NaN())
		case 65000:
			x.Take(FigureSetup, "µs", math.Inf(-1))
		}
		return x
	}, "setup/reactive/0")
	if len(c.Points) != 3 {
		t.Fatalf("%d points", len(c.Points))
	}
	x := c.Points[0].Result
	if x.Refused != "" || x.Measure(FigureSetup).Least != -3 || len(x.Measure("own share").Runs) != 2*MaxProbes {
		t.Errorf("%.200v", x)
	}
	for _, k := range c.Points[1:] {
		if !strings.HasPrefix(k.Result.Refused, errUnsound.Error()) {
			t.Errorf("%s: refused as %q", k.Point, k.Result.Refused)
		}
	}
}

// TestWhatCouldNotBeKept is told, and does not count as kept.
func TestWhatCouldNotBeKept(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "store"), asked(&golden.Command{Args: []string{"controlled=yes"}}))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	points, err := Choose(s.Parameters.Plan(), []string{"latency/reactive/0"})
	if err := errors.Join(err, os.RemoveAll(s.dir)); err != nil { // as little can be written there as to a full disk
		t.Fatal(err)
	}
	err = s.Run(t.Context(), &bedOf{slow: 1, left: -1}, points, false, t.Logf)
	if !errors.Is(err, fs.ErrNotExist) || !strings.HasPrefix(err.Error(), "latency/reactive/0/1500: a run that is over was not kept: ") ||
		s.Progress(points) != 0 {
		t.Errorf("%v, %d points are over", err, s.Progress(points))
	}
}

// TestNotesTellTheirRun: the notes of all transfers of a point are there with their run's number, and so
// is a refusal.
func TestNotesTellTheirRun(t *testing.T) {
	a := asked(&golden.Command{Args: []string{"controlled=yes"}})
	a.Parameters.Transfers = 3
	runs := map[Point]int{}
	c := measuredAs(t, a, func(p Point) *report.Result {
		x := &report.Result{}
		x.Take(FigureThroughput, "Mbit/s", 900)
		if runs[p]++; runs[p] > 1 {
			x.Notes = []string{"9 frames were not observed"}
			if p.Size == 65000 {
				x.Refuse(errors.New("lost"))
			}
		}
		return x
	}, "udp/installed/0")
	if got := fmt.Sprint(c.Points[0].Result.Notes); got != "[run 2: 9 frames were not observed run 3: 9 frames were not observed]" {
		t.Error(got)
	}
	if got := c.Points[2].Result.Refused; got != "run 2: lost" {
		t.Error(got)
	}
}
