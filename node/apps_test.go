package node_test

import (
	"strings"
	"testing"

	"github.com/weirnet/weir/app"
	"github.com/weirnet/weir/node"
)

// bounds are the settings of an application.
type bounds struct {
	Most  uint64 `yaml:"most" default:"5" min:"1" max:"9" doc:"Most."`
	Least uint64 `yaml:"least" default:"1" min:"1" max:"9" restart:"true" doc:"Least."`
}

// bounded is an application that hands on the settings that it is given.
type bounded chan any

// SettingsChanged implements app.SettingsHandler.
func (b bounded) SettingsChanged(settings any) { b <- settings }

// TestSettingsOfAnApplication: what is applied of an application's settings reaches it at once, but what
// holds from the next start, and is told when.
func TestSettingsOfAnApplication(t *testing.T) {
	given := make(bounded, 8)
	i := start(t, usual, func(c *node.Config) {
		c.Extra = []app.Spec{{Name: "bounded", Settings: bounds{}, New: func(e app.Env) (app.App, error) {
			given <- e.Settings
			return given, nil
		}}}
	})
	if got := <-given; got != (bounds{5, 1}) {
		t.Errorf("it begins with %v", got)
	}
	holds := map[string]string{}
	for _, c := range i.apply("apps: {settings: {bounded: {most: 7, least: 2}}}\n") {
		holds[c.Path] = c.Old + " " + c.New + " " + c.Holds
	}
	if len(holds) != 2 || holds["apps.settings[bounded].most"] != "5 7 now" ||
		holds["apps.settings[bounded].least"] != "1 2 restart" {
		t.Errorf("changes are %v", holds)
	}
	if got := <-given; got != (bounds{7, 1}) {
		t.Errorf("it is given %v", got)
	}
	_, err := i.api.Apply(t.Context(), []byte("apps:\n  settings:\n    bounded: {most: 10}\n  disable: [bound]\n"), false)
	for _, want := range []string{"3: apps.settings[bounded].most: \"10\" given, want a number from 1 to 9",
		"4: apps.disable: \"bound\" given, want "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a wrong one: %v, want %s", err, want)
		}
	}
}
