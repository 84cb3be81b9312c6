package config

import (
	"reflect"
)

// keysOf returns the keys of a map of the schema, in order.
func keysOf[K comparable, V any](m map[K]V) []K {
	list := make([]K, 0, len(m))
	for _, k := range sortedKeys(reflect.ValueOf(m)) {
		list = append(list, k.Interface().(K))
	}
	return list
}

// entry is one value of a configuration; each element of a list is one.
type entry struct {
	path, value    string
	restart, admin bool
}

// entries returns all that a configuration says, in order of the schema.
func (c *Config) entries() []entry {
	var list []entry
	walk(reflect.ValueOf(c).Elem(), "", field{}, func(e entry) { list = append(list, e) })
	return list
}

func walk(v reflect.Value, path string, f field, do func(entry)) {
	if v.IsZero() {
		return
	}
	if _, own := textTypes[v.Type()]; own {
		do(entry{path, scalarText(v), f.restart, f.admin})
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range fields(v.Type()) {
			walk(v.Field(f.index), join(path, f.name), f, do)
		}
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			walk(v.MapIndex(key), under(path, scalarText(key)), field{}, do)
		}
	case reflect.Slice:
		for i := range v.Len() {
			s := scalarText(v.Index(i))
			do(entry{under(path, s), s, f.restart, f.admin})
		}
	default:
		do(entry{path, scalarText(v), f.restart, f.admin})
	}
}

// Merge combines configurations: of two values of a field the later one applies. Mappings are
// merged, lists are replaced. The result shares no memory that it modifies with them.
func Merge(list ...*Config) *Config {
	out := &Config{}
	for _, c := range list {
		overlay(reflect.ValueOf(out).Elem(), reflect.ValueOf(c).Elem())
	}
	return out
}

func overlay(to, from reflect.Value) {
	if from.IsZero() {
		return
	}
	switch {
	case from.Kind() == reflect.Struct && textTypes[from.Type()].parse == nil:
		for i := range from.NumField() {
			overlay(to.Field(i), from.Field(i))
		}
	case from.Kind() == reflect.Map:
		if to.IsNil() {
			to.Set(reflect.MakeMap(to.Type()))
		}
		for _, key := range from.MapKeys() {
			e := reflect.New(to.Type().Elem()).Elem()
			if old := to.MapIndex(key); old.IsValid() {
				e.Set(old)
			}
			overlay(e, from.MapIndex(key))
			to.SetMapIndex(key, e)
		}
	default:
		to.Set(from)
	}
}

// Defaults returns the defaults.
func Defaults() *Config {
	c := &Config{}
	fill(reflect.ValueOf(c).Elem())
	return c
}

func fill(v reflect.Value) {
	for _, f := range fields(v.Type()) {
		at := v.Field(f.index)
		if at.Kind() == reflect.Struct {
			fill(at)
		} else if f.def != "" {
			if err := setScalar(at, f.def, f); err != nil {
				panic("config: default of " + f.name + ": " + err.Error())
			}
		}
	}
}

// Running returns what is in force in an instance that started with one configuration and has
// another now: for fields that need a restart, the former.
func Running(began, now *Config) *Config {
	out := Merge(now)
	hold(reflect.ValueOf(out).Elem(), reflect.ValueOf(began).Elem())
	return out
}

func hold(to, from reflect.Value) {
	for _, f := range fields(to.Type()) {
		at := to.Field(f.index)
		switch {
		case f.restart:
			at.Set(from.Field(f.index))
		case at.Kind() == reflect.Struct:
			hold(at, from.Field(f.index))
		}
	}
}

// Pending returns the differences that take effect at the next start only.
func Pending(began, now *Config) []Change {
	return Diff(Running(began, now), now)
}

// Over returns a configuration with another's fields over it, those whose paths are kept, and what
// they say nothing of is not said any more. It is asked for scalars, lists and mappings by keys.
func (c *Config) Over(under *Config, kept func(path string) bool) *Config {
	out := Merge(under)
	keep(reflect.ValueOf(out).Elem(), reflect.ValueOf(c).Elem(), "", kept)
	return out
}

func keep(to, from reflect.Value, path string, kept func(string) bool) {
	for _, f := range fields(from.Type()) {
		at := join(path, f.name)
		if v := from.Field(f.index); v.Kind() == reflect.Struct {
			keep(to.Field(f.index), v, at, kept)
		} else if kept(at) {
			to.Field(f.index).Set(v)
		}
	}
}
