package topo

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/strictyaml"
)

// MaxTime is the latest time of an event, and the longest a host may be told to send.
const MaxTime = 1000 * time.Hour

// ParseSchedule reads the events of a network as a YAML list, in order of time. The error is
// Problems.
func ParseSchedule(b []byte, t *Topology) ([]Event, error) {
	root, err := strictyaml.Open(b, strictyaml.MaxBytes)
	if err != nil {
		return nil, err
	}
	var d document
	events := d.readSchedule(root, t)
	if err := d.Err(); err != nil {
		return nil, err
	}
	return events, nil
}

// document is a YAML file while it is read.
type document struct{ strictyaml.Document }

// targets are the names of a network that events may speak of.
type targets struct {
	*Topology
	links           map[string]bool
	switches, hosts map[string]int
}

func (d *document) readSchedule(n *yaml.Node, t *Topology) []Event {
	to := &targets{t, map[string]bool{}, map[string]int{}, map[string]int{}}
	for i := range t.Links {
		to.links[t.Links[i].ID] = true
	}
	for i := range t.Hosts {
		to.links[t.LinkID(&t.Hosts[i])] = true
		to.hosts[t.Hosts[i].Name] = i
	}
	for i := range t.Switches {
		to.switches[t.Switches[i].Name] = i
	}
	var events []Event
	if err := d.List(n, to.linkExample(), func(n *yaml.Node) { events = append(events, d.readEvent(n, to)) }); err != nil {
		d.Wrong(n, fmt.Errorf("schedule: %w", err))
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return events
}

// verb is one kind of event: the field that names its target, and those that go with it.
type verb struct {
	name, example string
	target        func(s string) error
	fields        []strictyaml.Field
	needs         string // which fields, of which at least one is given
	action        func() Action
}

// readEvent reads an event: when, and exactly one target with its fields.
func (d *document) readEvent(n *yaml.Node, to *targets) Event {
	e := Event{Line: n.Line}
	verbs := to.verbs()
	v := d.verbOf(n, verbs)
	if v == nil {
		return e
	}
	times := strictyaml.Number(1, 1_000_000_000, "10")
	seen := d.Mapping(n, v.example, append([]strictyaml.Field{
		strictyaml.Into("at", &e.At, parseWhen),
		strictyaml.Into("every", &e.Every, parsePositive),
		strictyaml.Into("times", &e.Times, times),
		{Name: v.name, Read: strictyaml.Text(v.target)},
	}, v.fields...))
	if !seen["at"] {
		d.Wrong(n, fmt.Errorf("an event without a time given, want at:, such as %s", v.example))
	}
	if seen["times"] && !seen["every"] {
		d.Wrong(n, fmt.Errorf("times: given without every:, want both, such as `every: 2s, times: 10`"))
	}
	if !slices.ContainsFunc(strings.Split(v.needs, ", "), func(name string) bool { return seen[name] }) {
		d.Wrong(n, fmt.Errorf("an event of a %s given that does nothing, want one of %s, such as %s", v.name, v.needs, v.example))
	}
	e.Do = v.action()
	return e
}

// verbOf finds what an event is about.
func (d *document) verbOf(n *yaml.Node, verbs []verb) (found *verb) {
	names := make([]string, len(verbs))
	for i := range verbs {
		names[i] = verbs[i].name
	}
	if n.Kind != yaml.MappingNode {
		d.Wrong(n, fmt.Errorf("%s given, want an event, such as %s", strictyaml.Given(n), verbs[0].example))
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		at := slices.Index(names, n.Content[i].Value)
		switch {
		case at >= 0 && found != nil:
			d.Wrong(n.Content[i], fmt.Errorf("%s and %s given, want one of them in an event", found.name, names[at]))
			return nil
		case at >= 0:
			found = &verbs[at]
		}
	}
	if found == nil && !d.strangers(n, verbs) {
		d.Wrong(n, fmt.Errorf("an event of nothing given, want one of %s, such as %s", strings.Join(names, ", "),
			verbs[0].example))
	}
	return found
}

// strangers tells the fields of an event that no kind of event has, and a time without a unit,
// where the event does not say what it is about: a mistyped field is why.
func (d *document) strangers(n *yaml.Node, verbs []verb) (any bool) {
	known := []string{"at", "every", "times"}
	var names []string
	for i := range verbs {
		names = append(names, verbs[i].name)
		for _, f := range verbs[i].fields {
			known = append(known, f.Name)
		}
	}
	known = append(known, names...)
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch key, value := n.Content[i], n.Content[i+1]; {
		case !slices.Contains(known, key.Value):
			any = true
			d.Wrong(key, fmt.Errorf("unknown field %s given, want one of %s, such as %s", strictyaml.Given(key),
				strings.Join(names, ", "), verbs[0].example))
		case key.Value == "at":
			if _, err := parseWhen(value.Value); err != nil {
				d.Wrong(value, fmt.Errorf("at: %w", err))
			}
		}
	}
	return any
}

func (to *targets) verbs() []verb {
	return []verb{to.linkVerb(), to.portVerb(), to.switchVerb(), to.controlVerb(), to.hostVerb()}
}

var parseWhen = strictyaml.Time(MaxTime)

// parsePositive reads a time that is not 0.
func parsePositive(s string) (time.Duration, error) {
	d, err := parseWhen(s)
	if err == nil && d < time.Millisecond {
		err = fmt.Errorf("%s given, want a time from 1ms on, such as 2s", strictyaml.Quote(s))
	}
	return d, err
}

func parseBool(s string) (bool, error) {
	v, err := strconv.ParseBool(s)
	if err != nil || len(s) == 1 {
		return false, fmt.Errorf("%s given, want true or false", strictyaml.Quote(s))
	}
	return v, nil
}
