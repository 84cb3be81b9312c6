package strict

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Text reads a value as it is written.
func Text(read func(s string) error) func(n *yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			return fmt.Errorf("%s given, want one value", Given(n))
		}
		return read(n.Value)
	}
}

// Into reads a value by a parser into a variable.
func Into[T any](to *T, parse func(s string) (T, error)) func(n *yaml.Node) error {
	return Text(func(s string) error {
		v, err := parse(s)
		if err == nil {
			*to = v
		}
		return err
	})
}

// Maybe reads a value by a parser, and sets the pointer to it.
func Maybe[T any](to **T, parse func(s string) (T, error)) func(n *yaml.Node) error {
	return Text(func(s string) error {
		v, err := parse(s)
		if err == nil {
			*to = &v
		}
		return err
	})
}
