package report

import (
	"bytes"
	"strings"
	"testing"
)

// TestMarkdown wants a row for each measure, and the reason where there is none.
func TestMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := Markdown(&b, []*Report{sampleReport()}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## packet-ins <answered>\n",
		"| self | packet-ins answered | 2,000 /s | 1,000 – 3,000 | 3 |\n",
		"| gone | no result: " + ErrNothing.Error() + " | | | |\n",
		"\nside by side:\n\n| quantity | switch | twin |\n|---|---|---|\n| latency <of all> | 1 µs | 2 µs |\n",
		"| slow | packet-ins answered ÷ self | 3.00 | | |\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestTogether wants the runs of all reports in one, and refuses different scenarios.
func TestTogether(t *testing.T) {
	r, err := Merge([]*Report{sampleReport(), sampleReport()})
	if err != nil {
		t.Fatal(err)
	}
	x := r.Results[0]
	if n := len(x.Measures[0].Runs); n != 6 || r.Load.Runs != 6 || len(x.Processes[0].CPUSeconds.Runs) != 6 ||
		r.Results[3].Refused == "" {
		t.Errorf("%d runs of a measure, %d of the report: %+v", n, r.Load.Runs, *x)
	}
	other := sampleReport()
	other.Scenario = "start"
	if _, err := Merge([]*Report{sampleReport(), other}); err == nil {
		t.Error("reports of two scenarios are taken together")
	}
}
