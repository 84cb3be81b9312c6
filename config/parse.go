package config

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/strictyaml"
)

// MaxBytes is the longest configuration that is read.
const MaxBytes = 8 << 20

// Parse reads a configuration of an instance that has these applications. The error is
// strictyaml.Problems: everything that is wrong, with lines. A Config is returned only if nothing is.
func Parse(b []byte, apps ...App) (*Config, error) {
	root, err := strictyaml.Open(b, MaxBytes)
	if err != nil {
		return nil, err
	}
	r := reader{lines: make(map[string]int), apps: apps}
	c := &Config{}
	r.value(root, "", field{}, reflect.ValueOf(c).Elem()) // what the schema alone can judge
	r.check(c)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// reader walks a document along the schema.
type reader struct {
	strictyaml.Collector
	lines map[string]int // of every value, by path
	apps  []App
}

func (r *reader) wrong(n *yaml.Node, path, format string, args ...any) {
	r.Add(strictyaml.Problem{Line: n.Line, Path: path, Text: fmt.Sprintf(format, args...)})
}

// value reads a node into v.
func (r *reader) value(n *yaml.Node, path string, f field, v reflect.Value) {
	r.lines[path] = n.Line
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		r.wrong(n, path, "an anchor or alias: write the value out")
		return
	}
	if _, own := textTypes[v.Type()]; own {
		r.scalar(n, path, f, v)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		r.mapping(n, path, v)
	case reflect.Map:
		r.entries(n, path, v)
	case reflect.Slice:
		r.list(n, path, f, v)
	default:
		r.scalar(n, path, f, v)
	}
}

func (r *reader) scalar(n *yaml.Node, path string, f field, v reflect.Value) {
	if n.Kind != yaml.ScalarNode {
		r.wrong(n, path, "%s given, want one value", strictyaml.Given(n))
		return
	}
	if strictyaml.IsNull(n) {
		r.wrong(n, path, "no value given: give one, or leave the field out")
		return
	}
	if err := setScalar(v, n.Value, f); err != nil {
		r.wrong(n, path, "%v", err)
	}
}

// mapping reads named fields. One with nothing under it says nothing.
func (r *reader) mapping(n *yaml.Node, path string, v reflect.Value) {
	list := fields(v.Type())
	seen := map[string]bool{}
	r.pairs(n, path, "the fields "+names(list), func(key, value *yaml.Node) {
		for _, f := range list {
			if f.name != key.Value {
				continue
			}
			if seen[f.name] {
				r.wrong(key, join(path, f.name), "given twice")
				return
			}
			seen[f.name] = true
			r.value(value, join(path, f.name), f, v.Field(f.index))
			return
		}
		r.wrong(key, path, "unknown field %s: want %s", strictyaml.Quote(key.Value), names(list))
	})
}

// pairs calls do with each pair of a mapping.
func (r *reader) pairs(n *yaml.Node, path, want string, do func(key, value *yaml.Node)) {
	if strictyaml.IsNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.wrong(n, path, "%s given, want a mapping with %s", strictyaml.Given(n), want)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.Anchor != "" {
			r.wrong(key, path, "%s given as the name of a field, want one value", strictyaml.Given(key))
			continue
		}
		do(key, n.Content[i+1])
	}
}

// entries reads a mapping by keys of a type of their own.
func (r *reader) entries(n *yaml.Node, path string, v reflect.Value) {
	t := textTypes[v.Type().Key()]
	r.pairs(n, path, t.what+" as keys", func(key, value *yaml.Node) {
		k, err := t.parse(key.Value)
		if err != nil {
			r.wrong(key, path, "%v", err)
			return
		}
		at := under(path, t.format(k))
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		if v.MapIndex(reflect.ValueOf(k)).IsValid() {
			r.wrong(key, at, "given twice")
			return
		}
		entry := reflect.New(v.Type().Elem()).Elem()
		if entry.Kind() == reflect.Interface {
			r.settings(key, value, path, at, entry)
		} else {
			r.value(value, at, field{}, entry)
		}
		v.SetMapIndex(reflect.ValueOf(k), entry)
		r.lines[at] = key.Line
	})
}

// list reads a sequence without duplicates. An empty one is refused: it would say nothing and look
// as if it said "none".
func (r *reader) list(n *yaml.Node, path string, f field, v reflect.Value) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.wrong(n, path, "%s given, want a list with at least one value, or leave the field out",
			map[bool]string{true: "an empty list", false: strictyaml.Given(n)}[n.Kind == yaml.SequenceNode])
		return
	}
	seen := map[string]bool{}
	for _, item := range n.Content {
		before := r.Found()
		e := reflect.New(v.Type().Elem()).Elem()
		r.value(item, path, f, e)
		if r.Found() > before {
			continue
		}
		if s := scalarText(e); seen[s] {
			r.wrong(item, path, "%s given twice", strictyaml.Quote(s))
		} else {
			seen[s] = true
			v.Set(reflect.Append(v, e))
			r.lines[under(path, s)] = item.Line
		}
	}
	r.lines[path] = n.Line
}
