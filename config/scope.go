package config

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/strictyaml"
)

// Scope says whose a field is.
type Scope string

// The scopes.
const (
	// OfNetwork is what all instances on one store have in common.
	OfNetwork Scope = "network"
	// OfInstance is what each has for itself: its name, addresses, and the files of its machine.
	OfInstance Scope = "instance"
)

// Part returns what a configuration says in one scope.
func (c *Config) Part(s Scope) *Config {
	out := &Config{}
	for _, l := range leaves {
		if l.scope() == s {
			l.of(out).Set(l.of(c))
		}
	}
	return out
}

// SaysNothing reports whether no field is set.
func (c *Config) SaysNothing() bool { return reflect.ValueOf(c).Elem().IsZero() }

// Split returns the two parts of a text that Parse takes: one that reads as Part(OfNetwork) and one that
// reads as Part(OfInstance). A text of one scope is that part as it is, byte by byte, and the other is empty;
// one that says nothing is the network's. Of another one each part has the lines that say something of it,
// with the comments before them; where a line has both, the parts are written anew, without comments.
func Split(text string, apps ...App) (network, instance string, err error) {
	root, err := strictyaml.Open([]byte(text), MaxBytes)
	if err != nil {
		return "", "", err
	}
	whole, err := Parse([]byte(text), apps...)
	if err != nil {
		return "", "", err
	}
	ofNetwork, ofInstance := whole.Part(OfNetwork), whole.Part(OfInstance)
	switch {
	case ofInstance.SaysNothing():
		return text, "", nil
	case ofNetwork.SaysNothing():
		return "", text, nil
	}
	network, instance, ok := splitLines(text, root)
	if ok && reads(network, ofNetwork, apps) && reads(instance, ofInstance, apps) {
		return network, instance, nil
	}
	network, instance = ofNetwork.Text(), ofInstance.Text()
	if !reads(network, ofNetwork, apps) || !reads(instance, ofInstance, apps) {
		return "", "", fmt.Errorf("its two parts are too long, each may have %d bytes: write what is of the network on other lines "+
			"than what is of the instance", MaxBytes)
	}
	return network, instance, nil
}

// reads reports whether a text is read as a configuration.
func reads(text string, want *Config, apps []App) bool {
	c, err := Parse([]byte(text), apps...)
	return err == nil && reflect.DeepEqual(c, want)
}

// splitter hands out the lines of a text.
type splitter struct {
	lines []string
	out   map[Scope]*strings.Builder
}

// splitLines hands out a text's lines by scope. It is false where a line is of both.
func splitLines(text string, root *yaml.Node) (network, instance string, ok bool) {
	s := splitter{strings.SplitAfter(text, "\n"), map[Scope]*strings.Builder{OfNetwork: {}, OfInstance: {}}}
	if !isBlock(root) {
		return "", "", false
	}
	first := s.start(root.Content[0])
	s.give(OfNetwork, 0, first) // what is before all fields
	ok = s.mapping(root, first, len(s.lines), reflect.TypeFor[Config]())
	return s.out[OfNetwork].String(), s.out[OfInstance].String(), ok
}

// isBlock reports whether a node is a mapping with a line for each field.
func isBlock(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && len(n.Content) > 0
}

// give appends lines to a part.
func (s *splitter) give(to Scope, from, end int) {
	for _, line := range s.lines[from:end] {
		s.out[to].WriteString(line)
	}
}

// start is the index of the first line of a field: of the comments right before it.
func (s *splitter) start(key *yaml.Node) int {
	at := min(key.Line-1, len(s.lines))
	for at > 0 && strings.HasPrefix(strings.TrimLeft(s.lines[at-1], " \t"), "#") {
		at--
	}
	return at
}

// mapping hands out the lines of a mapping of fields of a type, up to end. It is false where it cannot.
func (s *splitter) mapping(n *yaml.Node, from, end int, t reflect.Type) bool {
	list := fields(t)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		next := end
		if i+2 < len(n.Content) {
			next = s.start(n.Content[i+2])
		}
		if next < from {
			return false
		}
		for _, f := range list {
			if f.name == key.Value && !s.field(f, key, value, from, next) {
				return false
			}
		}
		from = next
	}
	return true
}

// field hands out the lines of one field.
func (s *splitter) field(f field, key, value *yaml.Node, from, end int) bool {
	of := scopesIn(f, value)
	if len(of) == 1 {
		s.give(of[0], from, end)
		return true
	}
	if !isBlock(value) {
		return false
	}
	first := s.start(value.Content[0])
	if first < key.Line || first > end {
		return false
	}
	for _, scope := range of {
		s.give(scope, from, first)
	}
	return s.mapping(value, first, end, f.typ)
}

// scopesIn is whose values a node has, for a field.
func scopesIn(f field, value *yaml.Node) []Scope {
	if f.instance {
		return []Scope{OfInstance}
	}
	if f.typ.Kind() != reflect.Struct || textTypes[f.typ].parse != nil || value.Kind != yaml.MappingNode {
		return []Scope{OfNetwork}
	}
	var of [2]bool
	for i := 0; i+1 < len(value.Content); i += 2 {
		for _, below := range fields(f.typ) {
			if below.name == value.Content[i].Value {
				of[map[bool]int{true: 1}[below.instance]] = true
			}
		}
	}
	switch of {
	case [2]bool{true, true}:
		return []Scope{OfNetwork, OfInstance}
	case [2]bool{false, true}:
		return []Scope{OfInstance}
	}
	return []Scope{OfNetwork}
}

// Join returns a text that reads as both parts together. Of one part alone it is that part as it is; of two
// it has the fields of both with their comments, the network's first.
func Join(network, instance string, apps ...App) string {
	if instance == "" {
		return network
	} else if network == "" {
		return instance
	}
	a, errA := Parse([]byte(network), apps...)
	b, errB := Parse([]byte(instance), apps...)
	if errA != nil || errB != nil { // of a program with other applications
		return network + "\n" + instance
	}
	whole := Merge(a, b)
	var first, second yaml.Node
	if yaml.Unmarshal([]byte(network), &first) == nil && yaml.Unmarshal([]byte(instance), &second) == nil &&
		len(first.Content) == 1 && len(second.Content) == 1 && graft(first.Content[0], second.Content[0]) {
		var out strings.Builder
		e := yaml.NewEncoder(&out)
		e.SetIndent(2)
		if e.Encode(&first) == nil && reads(out.String(), whole, apps) {
			return out.String()
		}
	}
	return whole.Text()
}

// graft adds the fields of a mapping to another one's. It is false where one is no mapping.
func graft(to, from *yaml.Node) bool {
	if to.Kind != yaml.MappingNode || from.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(from.Content); i += 2 {
		there := -1
		for j := 0; j+1 < len(to.Content); j += 2 {
			if to.Content[j].Value == from.Content[i].Value {
				there = j + 1
			}
		}
		if there < 0 {
			to.Content = append(to.Content, from.Content[i], from.Content[i+1])
		} else if !graft(to.Content[there], from.Content[i+1]) {
			return false
		}
	}
	return true
}
