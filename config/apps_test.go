package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestSettingsOfApplications: defaults, merging, differences, and what holds before the next start.
func TestSettingsOfApplications(t *testing.T) {
	app := testApps[len(testApps)-1]
	began := Merge(Defaults(testApps...), parse(t, "apps: {settings: {counter: {most: 5, every: 2s}}}\n"))
	if got := app.Of(began); !reflect.DeepEqual(got, counter{5, nil, 2 * time.Second, false}) {
		t.Errorf("%+v", got)
	}
	if got := app.Of(&Config{}); !reflect.DeepEqual(got, counter{16, nil, time.Second, false}) {
		t.Errorf("without a configuration: %+v", got)
	}
	now := Merge(Defaults(testApps...), parse(t, "apps: {settings: {counter: {sizes: [9], every: 3s}}}\n"))
	want := []Change{{"apps.settings[counter].most", "5", "16", false, false, OfNetwork},
		{"apps.settings[counter].every", "2s", "3s", true, false, OfNetwork},
		{"apps.settings[counter].sizes[9]", "", "9", false, false, OfNetwork}}
	if got := Diff(began, now); !reflect.DeepEqual(got, want) {
		t.Errorf("differences: %+v", got)
	}
	running := Running(began, now)
	if got := app.Of(running); !reflect.DeepEqual(got, counter{16, []uint64{9}, 2 * time.Second, false}) {
		t.Errorf("in force: %+v", got)
	}
	if got := Pending(began, now); !reflect.DeepEqual(got, want[1:2]) {
		t.Errorf("pending: %+v", got)
	}
	if got := app.Of(began); !reflect.DeepEqual(got, counter{5, nil, 2 * time.Second, false}) {
		t.Errorf("what the instance began with has changed: %+v", got)
	}
	if !app.AtOnce() || len(app.Fields()) != 4 {
		t.Errorf("fields: %+v", app.Fields())
	}
	field := AppField{Path: "apps.settings[counter].every", Values: "duration, 1s to 1h", Default: "1s", Text: "The period.",
		Restart: true}
	if got := app.Fields()[2]; got != field {
		t.Errorf("%+v", got)
	}
}

// TestTypesOfSettings: a type that cannot be written, or whose zero value would mean something, is
// refused.
func TestTypesOfSettings(t *testing.T) {
	for want, settings := range map[string]any{
		"struct": 7,
		"tags": struct {
			A string `yaml:"a"`
		}{},
		"exported": struct {
			a string `yaml:"a" doc:"A."`
		}{},
		"numbers above zero": struct {
			A uint64 `yaml:"a" min:"0" max:"3" doc:"A."`
		}{},
		"durations above zero": struct {
			A time.Duration `yaml:"a" min:"1s" doc:"A."`
		}{},
		"its type is int": struct {
			A int `yaml:"a" doc:"A."`
		}{},
		"no default": struct {
			A bool `yaml:"a" default:"true" doc:"A."`
		}{},
		"want a number from 1 to 3": struct {
			A uint64 `yaml:"a" min:"1" max:"3" default:"4" doc:"A."`
		}{},
		"two fields a": struct {
			A string `yaml:"a" doc:"A."`
			B string `yaml:"a" doc:"B."`
		}{},
	} {
		a := App{Name: "x", Settings: settings}
		if err := a.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: %v, want %q", settings, err, want)
		}
	}
	for _, a := range testApps {
		if err := a.Check(); err != nil {
			t.Error(err)
		}
	}
}
