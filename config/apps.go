package config

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/strictyaml"
)

// App is an application, as a configuration may name it.
type App struct {
	Name     string
	Required bool // others stand on it, so that it cannot be disabled
	// Settings is a struct; nil: it has none. Its fields are of type bool, uint64, string or
	// time.Duration, or lists of these, and have the tags that those of Config have.
	Settings any
}

// AppName is the name of an application.
type AppName string

// AppField is one of an application's settings.
type AppField struct {
	Path    string // in a configuration
	Values  string // what it may be
	Default string // empty: none
	Text    string
	Restart bool // a change holds from the next start
}

// Fields are the application's settings.
func (a *App) Fields() (list []AppField) {
	if a.Settings == nil {
		return nil
	}
	for _, f := range fields(reflect.TypeOf(a.Settings)) {
		list = append(list, AppField{Path: join(under("apps.settings", a.Name), f.name),
			Values: strings.ReplaceAll(f.values(), "`", ""), Default: f.def, Text: f.doc, Restart: f.restart})
	}
	return list
}

// AtOnce reports whether a change of one of its settings holds at once.
func (a *App) AtOnce() bool {
	for _, f := range a.Fields() {
		if !f.Restart {
			return true
		}
	}
	return false
}

// Of returns the application's settings in a configuration, with defaults: a struct of the type of
// Settings; nil if it has none.
func (a *App) Of(c *Config) any {
	if a.Settings == nil {
		return nil
	}
	v := reflect.New(reflect.TypeOf(a.Settings)).Elem()
	v.Set(reflect.ValueOf(a.defaults()))
	if said := c.Apps.Settings[AppName(a.Name)]; said != nil {
		overlay(v, reflect.ValueOf(said))
	}
	return v.Interface()
}

// Check finds what is wrong with the type of an application's settings.
func (a *App) Check() error {
	t := reflect.TypeOf(a.Settings)
	if t == nil {
		return nil
	}
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("its settings are a %s: want a struct", t)
	}
	seen := map[string]bool{}
	for _, f := range fields(t) {
		if err := f.check(t.Field(f.index)); err != nil {
			return fmt.Errorf("field %s of its settings: %w", t.Field(f.index).Name, err)
		}
		if seen[f.name] {
			return fmt.Errorf("its settings have two fields %s", f.name)
		}
		seen[f.name] = true
	}
	return nil
}

// check finds what is wrong with a field's type and tags. The zero value says nothing, so it must not be
// one that means something.
func (f *field) check(of reflect.StructField) error {
	item := f.typ
	if item.Kind() == reflect.Slice {
		item = item.Elem()
	}
	switch {
	case !of.IsExported() || of.Anonymous:
		return errors.New("want an exported field with a name of its own")
	case f.name == "" || f.doc == "":
		return errors.New(`want the tags yaml:"NAME" and doc:"TEXT"`)
	case item == durationType:
		least, err := time.ParseDuration(f.min)
		if most, err2 := time.ParseDuration(f.max); err != nil || err2 != nil || least <= 0 || most < least {
			return errors.New(`want durations above zero as min:"1s" and max:"1h"`)
		}
	case item == reflect.TypeFor[uint64]():
		least, err := strconv.ParseUint(f.min, 10, 64)
		if most, err2 := strconv.ParseUint(f.max, 10, 64); err != nil || err2 != nil || least == 0 || most < least {
			return errors.New(`want numbers above zero as min:"1" and max:"100"`)
		}
	case item == reflect.TypeFor[bool]() && f.def != "":
		return errors.New("want no default: without a value it is false")
	case item != reflect.TypeFor[bool]() && item != reflect.TypeFor[string]():
		return fmt.Errorf("its type is %s: want bool, uint64, string, time.Duration, or a list of these", f.typ)
	}
	if f.def == "" {
		return nil
	}
	if f.typ != item {
		return errors.New("want no default of a list")
	}
	return setScalar(reflect.New(item).Elem(), f.def, *f)
}

// defaults are the settings of an application as its tags give them.
func (a *App) defaults() any {
	v := reflect.New(reflect.TypeOf(a.Settings)).Elem()
	for _, f := range fields(v.Type()) {
		if f.def == "" {
			continue
		}
		if err := setScalar(v.Field(f.index), f.def, f); err != nil {
			panic("config: default of " + a.Name + ", " + f.name + ": " + err.Error())
		}
	}
	return v.Interface()
}

// keepSettings puts those settings of applications that hold from the next start back to what they were.
func keepSettings(c, began *Config) {
	for name, settings := range c.Apps.Settings {
		v := reflect.New(reflect.TypeOf(settings)).Elem()
		v.Set(reflect.ValueOf(settings))
		was := reflect.ValueOf(began.Apps.Settings[name])
		for _, f := range fields(v.Type()) {
			switch at := v.Field(f.index); {
			case f.restart && was.IsValid():
				at.Set(was.Field(f.index))
			case f.restart:
				at.SetZero()
			}
		}
		c.Apps.Settings[name] = v.Interface()
	}
}

// settings reads the settings of an application.
func (r *reader) settings(key, value *yaml.Node, path, at string, entry reflect.Value) {
	var having []string
	for _, a := range r.apps {
		switch {
		case a.Settings == nil:
		case a.Name == key.Value:
			v := reflect.New(reflect.TypeOf(a.Settings)).Elem()
			r.value(value, at, field{}, v)
			entry.Set(v)
			return
		default:
			having = append(having, a.Name)
		}
	}
	switch {
	case having == nil:
		r.wrong(key, path, "%s given, and no application has settings of its own", strictyaml.Quote(key.Value))
	default:
		r.wrong(key, path, "%s given, want an application that has settings: %s", strictyaml.Quote(key.Value), strings.Join(having, ", "))
	}
}

// checkApps wants the names of applications that are disabled to be those of some that may be.
func (r *reader) checkApps(c *Config) {
	required := map[string]bool{}
	var names []string
	for _, a := range r.apps {
		if required[a.Name] = a.Required; !a.Required {
			names = append(names, a.Name)
		}
	}
	for _, name := range c.Apps.Disable {
		needed, ok := required[name]
		if ok && !needed {
			continue
		}
		given := strictyaml.Quote(name) + " given"
		if needed {
			given += ", which others need"
		}
		const path = "apps.disable"
		r.Add(strictyaml.Problem{Line: r.lines[under(path, name)], Path: path,
			Text: given + ", want " + strings.Join(names, " or ")})
	}
}
