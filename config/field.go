package config

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// field is one field of the schema, as its tags say.
type field struct {
	name, doc, def string
	min, max       string
	enum           []string
	kind           string // "address", "address or none", or nothing special
	instance       bool   // of scope instance; those below are too
	restart, admin bool
	typ            reflect.Type
	index          int // in its struct
}

// fields returns those of a struct of the schema, in order.
func fields(t reflect.Type) []field {
	list := make([]field, t.NumField())
	for i := range list {
		f := t.Field(i)
		list[i] = field{
			name: f.Tag.Get("yaml"), doc: f.Tag.Get("doc"), def: f.Tag.Get("default"), min: f.Tag.Get("min"),
			max:  f.Tag.Get("max"),
			kind: f.Tag.Get("kind"), restart: f.Tag.Get("restart") == "true", admin: f.Tag.Get("admin") == "true",
			instance: f.Tag.Get("scope") == "instance",
			typ:      f.Type, index: i,
		}
		if words := f.Tag.Get("enum"); words != "" {
			list[i].enum = strings.Split(words, ",")
		}
	}
	return list
}

// scope is whose the field is.
func (f field) scope() Scope {
	if f.instance {
		return OfInstance
	}
	return OfNetwork
}

func names(list []field) string {
	all := make([]string, len(list))
	for i, f := range list {
		all[i] = f.name
	}
	return strings.Join(all, ", ")
}

var durationType = reflect.TypeFor[time.Duration]()

// join returns the path of a field in a mapping.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// under returns the path of an entry of a mapping by key, or of a list.
func under(path, key string) string { return path + "[" + key + "]" }

// sortedKeys returns the keys of a map of the schema, in order.
func sortedKeys(m reflect.Value) []reflect.Value {
	t := textTypes[m.Type().Key()]
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return t.compare(a.Interface(), b.Interface()) })
	return keys
}

// scalarText returns a scalar as Text writes it.
func scalarText(v reflect.Value) string {
	if t, ok := textTypes[v.Type()]; ok {
		return t.format(v.Interface())
	}
	if v.Type() == durationType {
		return FormatDuration(time.Duration(v.Int()))
	}
	return plainText(v)
}

// values says what a field may be.
func (f field) values() string {
	switch {
	case f.typ.Kind() == reflect.Slice:
		item := f
		item.typ = f.typ.Elem()
		return "list of " + item.values()
	case textTypes[f.typ].parse != nil:
		return textTypes[f.typ].what
	case f.typ == durationType:
		return "duration, " + f.min + " to " + f.max
	case f.typ.Kind() == reflect.Bool:
		return "`true` or `false`"
	case f.typ.Kind() == reflect.Uint64:
		return "number, " + f.min + " to " + f.max
	case f.enum != nil:
		return "`" + strings.Join(f.enum, "` or `") + "`"
	case f.typ.Kind() == reflect.Map:
		return "mapping by " + textTypes[f.typ.Key()].what
	case f.kind == "address":
		return "HOST:PORT"
	case f.kind == "address or none":
		return "HOST:PORT or `none`"
	}
	return "text"
}
