package config

import (
	"reflect"
	"slices"
)

// entry is one value of a configuration; each element of a list is one.
type entry struct {
	path, value    string
	restart, admin bool
	scope          Scope
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
		do(entry{path, scalarText(v), f.restart, f.admin, f.scope()})
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		walk(v.Elem(), path, f, do)
	case reflect.Struct:
		for _, below := range fields(v.Type()) {
			below.instance = below.instance || f.instance
			walk(v.Field(below.index), join(path, below.name), below, do)
		}
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			walk(v.MapIndex(key), under(path, scalarText(key)), field{instance: f.instance}, do)
		}
	case reflect.Slice:
		for i := range v.Len() {
			s := scalarText(v.Index(i))
			do(entry{under(path, s), s, f.restart, f.admin, f.scope()})
		}
	default:
		do(entry{path, scalarText(v), f.restart, f.admin, f.scope()})
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
	case from.Kind() == reflect.Interface:
		e := reflect.New(from.Elem().Type()).Elem()
		if !to.IsNil() {
			e.Set(to.Elem())
		}
		overlay(e, from.Elem())
		to.Set(e)
	default:
		to.Set(from)
	}
}

// Defaults returns the defaults, those of applications' settings too.
func Defaults(apps ...App) *Config {
	c := &Config{}
	for _, a := range apps {
		if a.Settings == nil {
			continue
		}
		if c.Apps.Settings == nil {
			c.Apps.Settings = make(map[AppName]any)
		}
		c.Apps.Settings[AppName(a.Name)] = a.defaults()
	}
	for _, l := range leaves {
		if l.def == "" {
			continue
		}
		if err := setScalar(l.of(c), l.def, l.field); err != nil {
			panic("config: default of " + l.path + ": " + err.Error())
		}
	}
	return c
}

// leaf is a field of the schema that is no struct.
type leaf struct {
	field
	path string
	at   []int // its index in a Config
}

var leaves = leavesOf(reflect.TypeFor[Config](), field{}, "", nil)

func leavesOf(t reflect.Type, in field, path string, at []int) (list []leaf) {
	for _, f := range fields(t) {
		f.instance = f.instance || in.instance
		l := leaf{f, join(path, f.name), append(slices.Clip(at), f.index)}
		if f.typ.Kind() == reflect.Struct {
			list = append(list, leavesOf(f.typ, f, l.path, l.at)...)
		} else {
			list = append(list, l)
		}
	}
	return list
}

// of returns the leaf's value in a configuration.
func (l *leaf) of(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(l.at) }

// Running returns what is in force in an instance that started with one configuration and has
// another now: for fields that need a restart, the former.
func Running(began, now *Config) *Config {
	out := Merge(now)
	for _, l := range leaves {
		if l.restart {
			l.of(out).Set(l.of(began))
		}
	}
	keepSettings(out, began)
	return out
}

// Pending returns the differences that take effect at the next start only.
func Pending(began, now *Config) []Change {
	return Diff(Running(began, now), now)
}

// Over returns a configuration with another's fields over it, those whose paths are kept, and what
// they say nothing of is not said any more. It is asked for scalars, lists and mappings by keys.
func (c *Config) Over(under *Config, kept func(path string) bool) *Config {
	out := Merge(under)
	for _, l := range leaves {
		if kept(l.path) {
			l.of(out).Set(l.of(c))
		}
	}
	return out
}
