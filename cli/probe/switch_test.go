package probe

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/emu/profile"
	"github.com/weirnet/weir/openflow"
	"github.com/weirnet/weir/probe/controller"
	"github.com/weirnet/weir/probe/fit"
)

// TestSwitchReportSaysWhatThereIsAndWhatNot has some figures of a switch be there, and one not.
func TestSwitchReportSaysWhatThereIsAndWhatNot(t *testing.T) {
	m := &controller.Measured{Version: openflow.V13}
	m.Switch.Datapath = 0xa1
	m.Tables = profile.Tables{Count: 4, Entries: 4096}
	m.Statistics = []fit.Timed{{N: 1, Took: []time.Duration{time.Millisecond}},
		{N: 100, Took: []time.Duration{2 * time.Millisecond}}}
	m.PacketOut = []fit.Burst{{Sent: 100, Done: 90, Over: time.Millisecond}}
	m.Missing = map[string]error{fit.PartPacketIn: controller.ErrNoSource}
	r := switchReport(m, m.Fit(), 3)
	var b strings.Builder
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"datapath 00000000000000a1", "tables: {count: 4, entries: 4096}\n", "answer with 1 entry ",
		"packet-outs of 100 at 100,000/s", "90.0 packets", "no figure: " + controller.ErrNoSource.Error(),
		"no figure: install: too few samples", "statistics: {delay: "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
	if r.Refused() {
		t.Errorf("refused: %s", r.Verdict)
	}
}

// TestSwitchReportWithoutFigures is of a switch of which nothing could be measured.
func TestSwitchReportWithoutFigures(t *testing.T) {
	m := &controller.Measured{}
	m.Missing = map[string]error{}
	for _, p := range fit.Parts() {
		m.Missing[p] = errors.New(p + " was refused")
	}
	r := switchReport(m, m.Fit(), 1)
	if !r.Refused() || !strings.Contains(r.Verdict, "install was refused") || !strings.Contains(r.Verdict, "tables was refused") {
		t.Errorf("verdict %q", r.Verdict)
	}
}

// TestProfileOfASwitch writes what was measured as a profile that is read again, whatever the switch
// says that it is, and refuses files that would not be.
func TestProfileOfASwitch(t *testing.T) {
	m := &controller.Measured{}
	m.Switch.Desc.Manufacturer = "a\x00b \"c\": {\xff\u00e9\n" + strings.Repeat("\u20ac", 100)
	m.Tables = profile.Tables{Count: 4, Entries: 4096}
	p := probedSwitch{profile: "/tmp/lab-3.yaml"}
	got, err := profile.Parse("", []byte(p.profileOf(m, m.Fit()).YAML()))
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "lab-3" || got.Tables.Count != 4 || got.Tables.Source != profile.Measured || got.Install.Source != "" ||
		!strings.HasPrefix(got.About, "ab \"c\": {\u00e9\u20ac") || got.Measurement.Date == "" || got.Measurement.Command == "" {
		t.Errorf("%+v", got)
	}
	for file, ok := range map[string]bool{"": true, "x.yaml": true, "a/b-1.yaml": true, "x": false, "x.json": false,
		"a b.yaml": false, ".yaml": false} {
		p.profile = file
		if err := p.checkProfile(); (err == nil) != ok {
			t.Errorf("%q: %v", file, err)
		}
	}
}
