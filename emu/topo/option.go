package topo

import (
	"fmt"
	"strings"
	"time"

	"github.com/weirnet/weir/strictyaml"
)

// Options are what may stand after a topology, "linear:4,hosts=2,delay=5ms".
type Options struct {
	// Hosts are how many there are at each switch. EdgeHosts, if not 0, are how many there are at
	// each leaf of a tree or at each edge switch of a fat-tree instead, and no other switch has
	// any.
	Hosts, EdgeHosts int
	hosts            bool // hosts= was given
	// Link is how all links between switches carry frames, either way. Hosts' links carry them at
	// once.
	Link LinkSpec
}

// option is one of them: read takes its value.
type option struct {
	name string
	read func(value string) error
}

// options are all of them, reading into o.
func (o *Options) options() []option {
	count := func(to *int, least, most int, example string) func(string) error {
		return func(s string) (err error) { *to, err = strictyaml.Number(least, most, example)(s); return err }
	}
	span := func(to *time.Duration) func(string) error {
		return func(s string) (err error) { *to, err = strictyaml.Time(MaxDelay)(s); return err }
	}
	return []option{
		{"hosts", count(&o.Hosts, 0, MaxPorts, "1")},
		{"edgehosts", count(&o.EdgeHosts, 1, MaxPorts, "2")},
		{"delay", span(&o.Link.Delay)},
		{"jitter", span(&o.Link.Jitter)},
		{"loss", func(s string) (err error) { o.Link.Loss, err = ParseLoss(s); return err }},
		{"rate", func(s string) (err error) { o.Link.RateBPS, err = ParseRate(s); return err }},
		{"queue", count(&o.Link.Queue, 1, MaxQueue, "100")},
	}
}

// parseOptions reads words of the form NAME=VALUE.
func parseOptions(words []string) (Options, error) {
	o := Options{Hosts: 1}
	seen := map[string]bool{}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		if seen[name] {
			return o, fmt.Errorf("%s= given twice", name)
		}
		seen[name] = true
		if err := o.set(name, value); err != nil {
			return o, err
		}
	}
	if seen["hosts"] && seen["edgehosts"] {
		return o, fmt.Errorf(
			"hosts= and edgehosts= given, want one of them: hosts= is at every switch, edgehosts= at leaves and edges only")
	}
	o.hosts = seen["hosts"]
	return o, o.Link.Check()
}

func (o *Options) set(name, value string) error {
	var names []string
	for _, one := range o.options() {
		if one.name == name {
			if err := one.read(value); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		}
		names = append(names, one.name+"=")
	}
	return fmt.Errorf("option %s given, want one of %s such as hosts=2", strictyaml.Quote(name), strings.Join(names, ", "))
}
