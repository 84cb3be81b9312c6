package api

import (
	"slices"
	"strings"
	"testing"

	"github.com/weirnet/weir/emu"
	"github.com/weirnet/weir/emu/profile"
)

// TestFidelity has hosts ping over links with a delay, and reads how late their frames were.
func TestFidelity(t *testing.T) {
	l := newLab(t, "linear:2,delay=1ms")
	l.ask("POST", "/v1/commands?wait=50s", `{"kind":"ping","from":"h1","to":"h2","count":5,"interval":"10ms"}`, 200, nil)
	var f Fidelity
	l.ask("GET", "/v1/fidelity", "", 200, &f)
	if f.Total.Promises < 10 || f.Total.Max <= 0 || f.Total.P50 > f.Total.Max || len(f.Engines) == 0 ||
		!strings.HasPrefix(f.Text, "promised times") || len(f.Assumed) != 0 {
		t.Errorf("%+v", f)
	}
	if f.Kept != (f.Why == "") || f.Kept != (f.Since == nil) {
		t.Errorf("kept %v, since %v, why %q", f.Kept, f.Since, f.Why)
	}
	l.askAs(secret+"-viewer", "GET", "/v1/fidelity", "", 200, nil)
}

// TestProfiles reads how switches behave, and what of it is assumed.
func TestProfiles(t *testing.T) {
	aruba, err := profile.Named("aruba-3810m")
	if err != nil {
		t.Fatal(err)
	}
	l := newLab(t, "linear:2", func(c *emu.Config) { c.Profile = aruba })
	var all items[Profile]
	l.ask("GET", "/v1/profiles", "", 200, &all)
	if len(all.Items) != 1 || all.Items[0].Name != "aruba-3810m" || all.Items[0].Switches != 2 ||
		len(all.Items[0].Parts) != len(aruba.Parts()) {
		t.Fatalf("%+v", all)
	}
	if p := all.Items[0].Parts[0]; p.Name != "flow_setup" || p.Source != profile.Paper ||
		!strings.HasPrefix(p.Text, "{points: [{payload: ") {
		t.Errorf("%+v", p)
	}
	var f Fidelity
	l.ask("GET", "/v1/fidelity", "", 200, &f)
	if !slices.Contains(f.Assumed, "aruba-3810m.install") || slices.Contains(f.Assumed, "aruba-3810m.flow_setup") {
		t.Errorf("assumed: %v", f.Assumed)
	}
	var sw Switch
	if l.ask("GET", "/v1/switches/s1", "", 200, &sw); sw.Profile != "aruba-3810m" {
		t.Errorf("%+v", sw)
	}
}
