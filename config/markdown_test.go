package config

import (
	"fmt"
	"reflect"
	"strings"
)

// Markdown is the schema as the tables of docs/config.md.
func Markdown() string {
	var b strings.Builder
	var sections []field
	head := func(title string) {
		fmt.Fprintf(&b, "\n%s\n\n| field | value | default | of | a change holds | meaning |\n|---|---|---|---|---|---|\n", title)
	}
	head("### At the top")
	for _, f := range fields(reflect.TypeFor[Config]()) {
		if k := f.typ.Kind(); k == reflect.Struct || k == reflect.Map {
			sections = append(sections, f)
			continue
		}
		row(&b, f, false)
	}
	for _, s := range sections {
		t := s.typ
		title := fmt.Sprintf("### `%s`\n\n%s", s.name, s.doc)
		if t.Kind() == reflect.Map {
			t = t.Elem()
		}
		head(title)
		for _, f := range fields(t) {
			row(&b, f, s.instance)
		}
	}
	return strings.TrimPrefix(b.String(), "\n")
}

// row is that of a field; instance: what it is in is an instance's.
func row(b *strings.Builder, f field, instance bool) {
	def, when := "–", "at once"
	if f.def != "" {
		def = "`" + f.def + "`"
	}
	switch {
	case f.restart:
		when = "from the next start"
	case f.typ.Kind() == reflect.Map:
		when = "as each says"
	}
	meaning := f.doc
	if f.admin {
		meaning += " *(admin)*"
	}
	of := "network"
	if f.instance || instance {
		of = "instance"
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s | %s |\n", f.name, f.values(), def, of, when, meaning)
}
