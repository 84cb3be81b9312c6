package strictyaml

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Text reads a value as it is written.
func Text(read func(s string) error) func(n *yaml.Node) error {
	return func(n *yaml.Node) error {
		if n.Kind != yaml.ScalarNode || IsNull(n) {
			return fmt.Errorf("%s given, want one value", Given(n))
		}
		return read(n.Value)
	}
}

// Into is a field that a parser reads into a variable.
func Into[T any](name string, to *T, parse func(s string) (T, error)) Field {
	return Field{name, Text(func(s string) error {
		v, err := parse(s)
		if err == nil {
			*to = v
		}
		return err
	})}
}

// Maybe is a field that a parser reads; the pointer stays nil where it is not given.
func Maybe[T any](name string, to **T, parse func(s string) (T, error)) Field {
	return Into(name, to, func(s string) (*T, error) {
		v, err := parse(s)
		return &v, err
	})
}
