package topo

import (
	"fmt"
	"strings"

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
	return []option{
		{"hosts", into(&o.Hosts, strictyaml.Number(0, MaxPorts, "1"))},
		{"edgehosts", into(&o.EdgeHosts, strictyaml.Number(1, MaxPorts, "2"))},
		{"delay", into(&o.Link.Delay, strictyaml.Time(MaxDelay))},
		{"jitter", into(&o.Link.Jitter, strictyaml.Time(MaxDelay))},
		{"loss", into(&o.Link.Loss, ParseLoss)},
		{"rate", into(&o.Link.RateBPS, ParseRate)},
		{"queue", into(&o.Link.Queue, strictyaml.Number(1, MaxQueue, "100"))},
		{"mtu", into(&o.Link.MTU, strictyaml.Number(0, MaxMTU, "1500"))},
	}
}

// into reads a value into a variable.
func into[T any](to *T, parse func(string) (T, error)) func(string) error {
	return func(s string) (err error) { *to, err = parse(s); return err }
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
