package strictyaml

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

// Document is a YAML file while it is read.
type Document struct{ Collector }

// Field is one that a mapping may have.
type Field struct {
	Name string
	// Read takes its value and returns what is wrong with it, or nil, or ErrReported.
	Read func(n *yaml.Node) error
}

// ErrReported is returned for a value whose problems the document knows already.
var ErrReported = errors.New("reported")

// Open returns the one value of a file of at most max bytes: null if the file is empty. The error
// is Problems.
func Open(b []byte, max int) (*yaml.Node, error) {
	if len(b) > max {
		return nil, Problems{{Text: fmt.Sprintf("%d bytes given, want at most %d", len(b), max)}}
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
		return nil, Problems{{Line: more.Line, Text: "a second document: want one"}}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntax(err)
	}
	if len(doc.Content) == 0 {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: 1}, nil
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
	return Problems{{Line: line, Text: "not YAML: " + strings.TrimPrefix(text, "yaml: ")}}
}

// Wrong takes note of what is wrong with a value; nil and ErrReported are nothing.
func (d *Document) Wrong(n *yaml.Node, err error) {
	if err != nil && !errors.Is(err, ErrReported) {
		d.Add(Problem{Line: n.Line, Text: err.Error()})
	}
}

// Mapping reads the fields of a mapping, each at most once, and says which there were. The example
// is shown when something else is given.
func (d *Document) Mapping(n *yaml.Node, example string, fields []Field) (seen map[string]bool) {
	seen = map[string]bool{}
	if n.Kind != yaml.MappingNode {
		d.Wrong(n, fmt.Errorf("%s given, want a mapping with %s, such as %s", Given(n), fieldNames(fields), example))
		return seen
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		f := find(fields, key)
		switch {
		case f == nil:
			d.Wrong(key, fmt.Errorf("unknown field %s given, want %s, such as %s", Given(key), fieldNames(fields), example))
		case seen[f.Name]:
			d.Wrong(key, fmt.Errorf("%s given twice, want it once", f.Name))
		case value.Kind == yaml.AliasNode || value.Anchor != "":
			d.Wrong(value, fmt.Errorf("%s: an anchor or alias given, want the value written out", f.Name))
		default:
			if err := f.Read(value); err != nil && !errors.Is(err, ErrReported) {
				d.Wrong(value, fmt.Errorf("%s: %w", f.Name, err))
			}
		}
		if f != nil {
			seen[f.Name] = true
		}
	}
	return seen
}

func find(fields []Field, key *yaml.Node) *Field {
	for i := range fields {
		if key.Kind == yaml.ScalarNode && fields[i].Name == key.Value {
			return &fields[i]
		}
	}
	return nil
}

func fieldNames(fields []Field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

// Given shows what a node is.
func Given(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if IsNull(n) {
		return "nothing"
	}
	return Quote(n.Value)
}

// IsNull reports whether a node is a value that is not there.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// List calls read with each value of a sequence.
func (d *Document) List(n *yaml.Node, example string, read func(n *yaml.Node)) error {
	if n.Kind != yaml.SequenceNode {
		return fmt.Errorf("%s given, want a list, such as %s", Given(n), example)
	}
	for _, item := range n.Content {
		if item.Kind == yaml.AliasNode || item.Anchor != "" {
			d.Wrong(item, fmt.Errorf("an anchor or alias given, want the value written out"))
			continue
		}
		read(item)
	}
	return nil
}
