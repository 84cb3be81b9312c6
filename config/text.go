package config

import (
	"bytes"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Tree returns a configuration as JSON has it: mappings, lists, strings, numbers, booleans.
func (c *Config) Tree() map[string]any {
	tree := map[string]any{}
	if err := node(reflect.ValueOf(c).Elem(), field{}).Decode(&tree); err != nil {
		panic("config: a configuration that is no tree: " + err.Error())
	}
	return tree
}

// Text is a configuration as YAML, in order of the schema.
func (c *Config) Text() string {
	n := node(reflect.ValueOf(c).Elem(), field{})
	if len(n.Content) == 0 {
		return ""
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		panic("config: a configuration that is no YAML: " + err.Error())
	}
	enc.Close()
	return out.String()
}

// node returns a value as YAML.
func node(v reflect.Value, f field) *yaml.Node {
	if _, own := textTypes[v.Type()]; own {
		return textNode(scalarText(v))
	}
	switch v.Kind() {
	case reflect.Interface:
		return node(v.Elem(), f)
	case reflect.Struct:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, f := range fields(v.Type()) {
			if at := v.Field(f.index); !at.IsZero() {
				n.Content = append(n.Content, textNode(f.name), node(at, f))
			}
		}
		return n
	case reflect.Map:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range sortedKeys(v) {
			n.Content = append(n.Content, textNode(scalarText(key)), node(v.MapIndex(key), field{}))
		}
		return n
	case reflect.Slice:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for i := range v.Len() {
			n.Content = append(n.Content, node(v.Index(i), f))
		}
		return n
	case reflect.Bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: scalarText(v)}
	case reflect.Uint64:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: scalarText(v)}
	}
	return textNode(scalarText(v))
}

// textNode returns a string; the encoder quotes one that would read as something else. Those of
// digits are quoted here, so that every reader takes them for text.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if s != "" && strings.Trim(s, "0123456789abcdefx") == "" {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
