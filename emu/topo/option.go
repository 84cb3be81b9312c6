package topo

import (
	"fmt"
	"strings"
)

// Options are what may stand after a topology, "linear:4,hosts=2,delay=5ms".
type Options struct {
	// Hosts are how many there are at each switch. EdgeHosts, if not 0, are how many there are at each leaf of a tree or at each
	// edge switch of a fat-tree instead, and no other switch has any.
	Hosts, EdgeHosts int
	// Link is how all links between switches carry frames, either way. Hosts' links carry them at once.
	Link LinkSpec
}

// option is one of them: read takes its value.
type option struct {
	name string
	read func(o *Options, value string) (err error)
}

var options = []option{
	{"hosts", func(o *Options, s string) (err error) {
		o.Hosts, err = parseCount("hosts", s, 0, MaxPorts, "1")
		return
	}},
	{"edgehosts", func(o *Options, s string) (err error) {
		o.EdgeHosts, err = parseCount("edgehosts", s, 1, MaxPorts, "2")
		return
	}},
	{"delay", func(o *Options, s string) (err error) {
		o.Link.Delay, err = parseDuration("delay", s, MaxDelay)
		return
	}},
	{"jitter", func(o *Options, s string) (err error) {
		o.Link.Jitter, err = parseDuration("jitter", s, MaxDelay)
		return
	}},
	{"loss", func(o *Options, s string) (err error) { o.Link.Loss, err = parseLoss(s); return }},
	{"rate", func(o *Options, s string) (err error) { o.Link.RateBPS, err = ParseRate(s); return }},
	{"queue", func(o *Options, s string) (err error) {
		o.Link.Queue, err = parseCount("queue", s, 1, MaxQueue, "100")
		return
	}},
}

func optionNames() string {
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = o.name + "="
	}
	return strings.Join(names, ", ")
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
		return o, fmt.Errorf("hosts= and edgehosts= given, want one of them: hosts= is at every switch, edgehosts= at leaves and edges only")
	}
	return o, o.Link.Check()
}

func (o *Options) set(name, value string) error {
	for _, one := range options {
		if one.name == name {
			return one.read(o, value)
		}
	}
	return fmt.Errorf("option %s given, want one of %s such as hosts=2", quote(name), optionNames())
}
