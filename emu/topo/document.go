package topo

import (
	"go.yaml.in/yaml/v3"

	"github.com/weirnet/weir/emu/strict"
)

// document is a YAML file while it is read.
type document struct{ strict.Document }

// field is one that a mapping may have: its name, and what reads its value.
type field struct {
	name string
	read func(n *yaml.Node) error
}

// mapping reads the fields of a mapping, and says which there were.
func (d *document) mapping(n *yaml.Node, example string, fields []field) (seen map[string]bool) {
	known := make([]strict.Field, len(fields))
	for i, f := range fields {
		known[i] = strict.Field{Name: f.name, Read: f.read}
	}
	return d.Mapping(n, example, known)
}
