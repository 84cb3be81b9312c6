package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
)

// sampleReport is a report with figures of two subjects, one of them refused, and hostile names.
func sampleReport() *Report {
	r := &Report{Format: Format, Scenario: "reactive", Title: "packet-ins <answered>",
		Command: "weir bench & more", Load: Load{Topology: "single:1", Runs: 3, Seconds: 1}}
	for i, name := range []string{"self", "<script>alert(1)</script>", "slow", "gone"} {
		x := r.Add(name)
		h := x.Distribution("latency", "from one moment to another")
		for n := range 5000 {
			h.Record(int64(n+1) * int64(i+1) * 1000)
		}
		for _, v := range []float64{1000, 2000, 3000} {
			x.Take("packet-ins answered", "/s", v*float64(i+1))
			x.Use("controller", time.Second, v, 20<<20)
		}
	}
	r.Results[3].Refuse(ErrNothing)
	r.Tables = []*Table{{Title: "side by side", Head: []string{"quantity", "switch", "twin"},
		Rows: [][]string{{"latency <of all>", "1 µs", "2 µs"}}}}
	r.Fidelity = &Fidelity{Promises: 9, LatenessP99: 12, Kept: true}
	r.Finish()
	return r
}

// TestPage wants a page that is well-formed, refers to nothing, shows every run, and tells why
// there is no figure where there is none.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	r := sampleReport()
	single := sampleReport()
	single.Results = single.Results[:1]
	if err := WriteHTML(&b, []*Report{r, single}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"packet-ins &lt;answered&gt;", "weir bench &amp; more",
		"gone</b>: no result: " + ErrNothing.Error(), "2,000 /s", "viewport",
		"prefers-color-scheme: dark", "@media print", "of 9 promises 0 were late",
		"<th>side by side</th><th>switch</th>", "<td>latency &lt;of all&gt;</td><td>1 µs</td>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "<script") || regexp.MustCompile(`(?i)(src|href)\s*=|url\(|@import|https?:`).MatchString(page) {
		t.Error("the page refers to something outside of it, or runs something")
	}
	if got := strings.Count(page, "<circle"); got != 3*3+3 {
		t.Errorf("%d dots for 9 runs of three subjects, and 3 of one", got)
	}
	if got := strings.Count(page, `class="curve l`); got != 3+3+1+1 { // lines, and their keys
		t.Errorf("%d curves", got)
	}
	for _, picture := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
		d := xml.NewDecoder(strings.NewReader(picture))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v in %s", err, picture)
			}
		}
	}
}

func TestReportsAreReadAgain(t *testing.T) {
	want, err := json.Marshal(sampleReport())
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := json.Marshal(r); !bytes.Equal(got, want) {
		t.Errorf("read again:\n%s\nwritten:\n%s", got, want)
	}
	for _, spoilt := range []string{"", "{}", "[]", `{"format":2,"results":[{}]}`, `{"format":1}`,
		`{"format":1,"results":[null]}`,
		`{"format":1,"results":[{"measures":[null]}]}`, `{"format":1,"results":[{"measures":[{"median":1e300,"runs":[1]}]}]}`,
		`{"format":1,"results":[{"times_us":[{"curve":[{"percent":50,"at":5},{"percent":40,"at":6}]}]}]}`} {
		if _, err := Read(strings.NewReader(spoilt)); !errors.Is(err, errReport) {
			t.Errorf("%s: %v", spoilt, err)
		}
	}
}

// TestPrintedOnce wants no word twice in a heading, and no heading of times where there are none.
func TestPrintedOnce(t *testing.T) {
	r := &Report{Scenario: "discovery", Title: "discovery: OpenFlow 1.3"}
	r.Add(Weir).Take("links", "", 1)
	var out bytes.Buffer
	if err := r.Print(&out); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); !strings.HasPrefix(s, "discovery: OpenFlow 1.3, ") || strings.Contains(s, "p50") ||
		!strings.Contains(s, "links") {
		t.Errorf("printed\n%s", s)
	}
}

func TestScales(t *testing.T) {
	even := scale{from: 0, to: 1900, start: 0, stop: 190}
	if got := even.ticks(); len(got) != 4 || got[1] != 500 || even.at(950) != 95 {
		t.Errorf("%v", got)
	}
	log := scale{from: 10, to: 100000, start: 0, stop: 400, log: true}
	if got := log.ticks(); len(got) != 5 || log.at(1000) != 200 || log.at(1) != 0 {
		t.Errorf("%v, %v, %v", got, log.at(1000), log.at(1))
	}
	for v, want := range map[float64]string{0: "0", 1500: "1.5k", 2e6: "2M", 20: "20", 0.5: "0.5"} {
		if got := short(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{1234567: "1,234,567", 12.34: "12.3", 0.0123: "0.012", 0: "0", 1.5: "1.50"} {
		if got := ThreeDigits(v); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}

// TestBelowNothing: runs below 0 are within their pictures, whose scales have round figures.
func TestBelowNothing(t *testing.T) {
	r := &Report{Format: Format}
	r.Add("one").Take("flow set-up", "µs", -12, 30, 45)
	r.Add("two").Take("flow set-up", "µs", -5000)
	r.Finish()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = Read(bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	drawn, _ := palette{}.bars("flow set-up", r.Results)
	for _, picture := range []string{drawn, runsPlot(r.Results[0].Measures[0]), runsPlot(r.Results[1].Measures[0])} {
		if !strings.Contains(picture, "<circle") || regexp.MustCompile(`(x|cx|width)="-`).MatchString(picture) {
			t.Errorf("empty, or outside of the picture: %s", picture)
		}
	}
	if _, after, _ := strings.Cut(drawn, `class="value">-5,000 µs`); !strings.Contains(drawn, ">-4k<") ||
		!strings.Contains(drawn, ">0<") || !strings.Contains(after, `<rect x="10"`) {
		t.Error(drawn)
	}
	if got := (scale{from: -12, to: 46}).ticks(); len(got) != 3 || got[0] != 0 || got[2] != 40 {
		t.Error(got)
	}
	if got := FormatMicros(-5000); got != "-5.00 ms" {
		t.Error(got)
	}
}

func FuzzReadReport(f *testing.F) {
	b, err := json.Marshal(sampleReport())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"format":1,"results":[{"subject":"x","measures":[{"runs":[0]}],"times_us":[{"max":1}]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Read(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := errors.Join(WriteHTML(&out, []*Report{r}), r.Print(&out)); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "NaN") && !bytes.Contains(b, []byte("NaN")) ||
			strings.Contains(out.String(), "<script") && !bytes.Contains(b, []byte("script")) {
			t.Error("a figure is none, or text is markup")
		}
	})
}
