package topo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// document is a YAML file while it is read.
type document struct{ problems Problems }

// field is one that a mapping may have; read takes its value and returns what is wrong with it, or nil.
type field struct {
	name string
	read func(n *yaml.Node) error
}

// errTold is returned for a value whose problems the document knows already.
var errTold = errors.New("told")

// openDocument returns the one value of a file.
func openDocument(b []byte) (*yaml.Node, error) {
	if len(b) > MaxBytes {
		return nil, Problems{{Text: fmt.Sprintf("%d bytes given, want at most %d", len(b), MaxBytes)}}
	}
	if !utf8.Valid(b) {
		return nil, Problems{{Line: badLine(b), Text: "bytes that are not UTF-8 given, want text"}}
	}
	decoder := yaml.NewDecoder(bytes.NewReader(b))
	var doc, more yaml.Node
	if err := decoder.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, syntax(err)
	}
	if err := decoder.Decode(&more); err == nil {
		return nil, Problems{{more.Line, "a second document given, want one"}}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntax(err)
	}
	if len(doc.Content) == 0 {
		return nil, Problems{{1, "nothing given, want YAML"}}
	}
	return doc.Content[0], nil
}

// badLine is the line of the first bytes that are no text.
func badLine(b []byte) int {
	good := len(b) - len(bytes.TrimLeftFunc(b, func(r rune) bool { return r != utf8.RuneError }))
	return 1 + bytes.Count(b[:good], []byte("\n"))
}

var lineOf = regexp.MustCompile(`^yaml: line (\d+): `)

// syntax is what the YAML parser says, with its line.
func syntax(err error) error {
	text, line := err.Error(), 0
	if m := lineOf.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = strings.TrimPrefix(text, m[0])
	}
	return Problems{{line, "not YAML: " + strings.TrimPrefix(text, "yaml: ")}}
}

func (d *document) wrong(n *yaml.Node, err error) {
	if err != nil && !errors.Is(err, errTold) {
		d.problems = append(d.problems, Problem{n.Line, err.Error()})
	}
}

// mapping reads the fields of a mapping, each at most once, and says which there were. The example is shown when something else
// is given.
func (d *document) mapping(n *yaml.Node, example string, fields []field) (seen map[string]bool) {
	seen = map[string]bool{}
	if n.Kind != yaml.MappingNode {
		d.wrong(n, fmt.Errorf("%s given, want a mapping with %s, such as %s", kindName(n), fieldNames(fields), example))
		return seen
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		f := find(fields, key)
		switch {
		case f == nil:
			d.wrong(key, fmt.Errorf("unknown field %s given, want %s, such as %s", kindName(key), fieldNames(fields), example))
		case seen[f.name]:
			d.wrong(key, fmt.Errorf("%s given twice, want it once", f.name))
		case value.Kind == yaml.AliasNode || value.Anchor != "":
			d.wrong(value, fmt.Errorf("%s: an anchor or alias given, want the value written out", f.name))
		default:
			if err := f.read(value); err != nil && !errors.Is(err, errTold) {
				d.wrong(value, fmt.Errorf("%s: %w", f.name, err))
			}
		}
		if f != nil {
			seen[f.name] = true
		}
	}
	return seen
}

func find(fields []field, key *yaml.Node) *field {
	for i := range fields {
		if key.Kind == yaml.ScalarNode && fields[i].name == key.Value {
			return &fields[i]
		}
	}
	return nil
}

func fieldNames(fields []field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return strings.Join(names, ", ")
}

// kindName shows what a node is.
func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	return quote(n.Value)
}

// list calls read with each value of a sequence.
func (d *document) list(n *yaml.Node, example string, read func(n *yaml.Node)) error {
	if n.Kind != yaml.SequenceNode {
		return fmt.Errorf("%s given, want a list, such as %s", kindName(n), example)
	}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode || item.Anchor != "" {
			d.wrong(item, fmt.Errorf("an anchor or alias given, want the value written out"))
			continue
		}
		read(item)
	}
	return nil
}

// text reads a value as it is written.
func text(read func(s string) error) func(n *yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			return fmt.Errorf("%s given, want one value", kindName(n))
		}
		return read(n.Value)
	}
}

// into reads a value by a parser into a variable.
func into[T any](to *T, parse func(s string) (T, error)) func(n *yaml.Node) error {
	return text(func(s string) error {
		v, err := parse(s)
		if err == nil {
			*to = v
		}
		return err
	})
}

// maybe reads a value by a parser, and sets the pointer to it.
func maybe[T any](to **T, parse func(s string) (T, error)) func(n *yaml.Node) error {
	return text(func(s string) error {
		v, err := parse(s)
		if err == nil {
			*to = &v
		}
		return err
	})
}
