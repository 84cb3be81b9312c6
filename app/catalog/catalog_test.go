package catalog

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirnet/weir/alarm"
	"github.com/weirnet/weir/app"
	"github.com/weirnet/weir/config"
	"github.com/weirnet/weir/discovery"
	"github.com/weirnet/weir/netview"
	"github.com/weirnet/weir/topology"
)

// made makes applications of a configuration.
func made(t *testing.T, text string, extra ...app.Spec) (*Apps, *alarm.Board) {
	t.Helper()
	c, err := config.Parse([]byte(text), Schema(extra)...)
	if err != nil {
		t.Fatal(err)
	}
	view := netview.New(netview.Limits{})
	board := alarm.New(view)
	return New(Engines{Config: config.Merge(config.Defaults(), c), View: view, Maps: topology.NewSource(view), Alarms: board,
		Discovery: discovery.New(view.Facts(), discovery.Config{Key: make([]byte, 32), Seed: 1}),
		Log:       slog.New(slog.DiscardHandler), Now: time.Now}, extra), board
}

// row is what the API has of an application.
func row(a *Apps, name string) string {
	for _, r := range a.Rows() {
		if r.Name == name {
			return r.State
		}
	}
	return "not there"
}

// TestList: all applications are in sessions in the order of the list, by their names there, but those that
// are disabled; each that may be disabled can be.
func TestList(t *testing.T) {
	hosted := slices.ContainsFunc(builtin, func(l listed) bool { return l.inline == nil })
	for _, without := range append(slices.Clone(builtin), listed{required: true}) {
		text, want := "", []string{}
		if !without.required {
			text = "apps: {disable: [" + without.Name + "]}\n"
		}
		a, _ := made(t, text)
		for _, l := range builtin {
			if l.Name != without.Name && l.with != without.Name || without.required {
				want = append(want, l.Name)
			}
		}
		var got []string
		for _, s := range a.InSessions() {
			got = append(got, s.Name())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: in sessions are %q, want %q", text, got, want)
		}
		if state := row(a, without.Name); !without.required && state != "disabled" {
			t.Errorf("%s is %s", without.Name, state)
		}
		a.Listed(1, true)
		a.Forget(1)
		for _, p := range a.Parts() {
			if p.Name == without.Name && !without.required || a.Hosts(p) && !hosted {
				t.Errorf("%q: there is a part %s", text, p.Name)
			}
		}
	}
}

// TestPanics: an application that panics in a call is ended, shown and alarmed; one that is vital has
// nobody to catch it.
func TestPanics(t *testing.T) {
	a, board := made(t, "")
	for _, r := range a.list {
		if r.host != nil { // package app contains it
			continue
		}
		if r.vital != (r.contain == nil) {
			t.Errorf("%s is vital: %t, contained: %t", r.Name, r.vital, r.contain != nil)
		}
		if r.vital {
			continue
		}
		before := board.Totals()[netview.AlarmAppFailed]
		r.contain.Do(func() { panic("oh no") })
		r.contain.Do(func() { t.Errorf("%s is called again", r.Name) })
		if n := board.Totals()[netview.AlarmAppFailed] - before; n != 1 || row(a, r.Name) != "failed: it panicked: oh no" {
			t.Errorf("%s: %d alarms, %s", r.Name, n, row(a, r.Name))
		}
	}
	if next := a.Stats.Turn(); !next.IsZero() {
		t.Errorf("counters are asked for again at %v", next)
	}
}

// limits are settings of an application.
type limits struct {
	Most uint64 `yaml:"most" default:"5" min:"1" max:"9" doc:"Most."`
}

// keeps is an application that keeps its settings.
type keeps struct{ given []any }

func (k *keeps) SettingsChanged(s any) { k.given = append(k.given, s) }

// TestSettings: an application is given its settings with defaults, and then what changes of them.
func TestSettings(t *testing.T) {
	k := new(keeps)
	spec := app.Spec{Name: "keeps", Settings: limits{}, New: func(e app.Env) (app.App, error) {
		k.given = append(k.given, e.Settings)
		return k, nil
	}}
	a, _ := made(t, "", spec)
	parts := a.Parts()
	const seven = "apps: {settings: {keeps: {most: 7}}}\n"
	for _, text := range []string{"", seven, seven + "name: b\n", ""} {
		c, err := config.Parse([]byte(text), Schema([]app.Spec{spec})...)
		if err != nil {
			t.Fatal(err)
		}
		a.Configure(c)
		for _, p := range parts {
			if a.Hosts(p) {
				p.Turn()
			}
		}
	}
	if got := fmt.Sprint(k.given); got != "[{5} {7} {5}]" {
		t.Errorf("it was given %s", got)
	}
	if _, err := config.Parse([]byte("apps: {settings: {keeps: {most: 10}}}\n"), Schema([]app.Spec{spec})...); err == nil ||
		!strings.Contains(err.Error(), "want a number from 1 to 9") {
		t.Error(err)
	}
}
