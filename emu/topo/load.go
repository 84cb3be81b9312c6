package topo

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weirnet/weir/strictyaml"
)

// Load reads what a user names: a word of Forms, or a YAML or GraphML file, each with options after
// it: "wan:206,hosts=2", "lab.yaml", "zoo/Abilene.graphml,hosts=4". A file's name ends in .yaml,
// .yml, .graphml or .xml. What is wrong in a file is a strictyaml.FileError. The options of files
// hold for links that do not say it themselves, except delay= and rate= of GraphML, which hold for
// all.
func Load(arg string, seed uint64) (*Topology, error) {
	name, _, _ := strings.Cut(arg, ":")
	if slices.ContainsFunc(kinds(), func(k kind) bool { return k.name == name }) {
		return Parse(arg, seed)
	}
	parts := strings.Split(arg, ",")
	first := len(parts)
	for first > 1 && strings.Contains(parts[first-1], "=") {
		first--
	}
	file := strings.Join(parts[:first], ",")
	o, err := parseOptions(parts[first:])
	if err == nil && o.EdgeHosts != 0 {
		err = errors.New("edgehosts= given, want it with tree: or fattree: only")
	}
	if err != nil {
		return nil, fmt.Errorf("topology %s: %w", strictyaml.Quote(arg), err)
	}
	t, err := loadFile(file, seed, o)
	return t, strictyaml.InFile(file, err)
}

func loadFile(file string, seed uint64, o Options) (*Topology, error) {
	read := func(b []byte) (*Topology, error) { return parseYAML(b, seed, o) }
	switch filepath.Ext(file) {
	case ".yaml", ".yml":
	case ".graphml", ".xml":
		read = func(b []byte) (*Topology, error) { return parseGraphML(b, o) }
	default:
		return nil, fmt.Errorf("topology %s given, want one of %s, or a file that ends in .yaml or .graphml, such as linear:4",
			strictyaml.Quote(file), strings.Join(Forms(), ", "))
	}
	b, err := strictyaml.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t, err := read(b)
	if err == nil && t.Name == "" {
		t.Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	return t, err
}

// LoadSchedule reads a file of events. What is wrong in it is a strictyaml.FileError.
func LoadSchedule(file string, t *Topology) ([]Event, error) {
	b, err := strictyaml.ReadFile(file)
	if err != nil {
		return nil, err
	}
	events, err := ParseSchedule(b, t)
	return events, strictyaml.InFile(file, err)
}
