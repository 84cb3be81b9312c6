package command

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

type enumFlag[T any] struct {
	value   *T
	allowed []T
}

// Enum is a flag that takes one of the allowed values, by its text.
func Enum[T any](value *T, allowed ...T) pflag.Value { return &enumFlag[T]{value, allowed} }

// Set implements pflag.Value.
func (w *enumFlag[T]) Set(s string) error {
	for _, allowed := range w.allowed {
		if s == fmt.Sprint(allowed) {
			*w.value = allowed
			return nil
		}
	}
	return fmt.Errorf("want %s", alternatives(w.words()))
}

func (w *enumFlag[T]) String() string { return fmt.Sprint(*w.value) }

// Type implements pflag.Value.
func (w *enumFlag[T]) Type() string { return strings.Join(w.words(), "|") }

func (w *enumFlag[T]) words() (words []string) {
	for _, v := range w.allowed {
		words = append(words, fmt.Sprint(v))
	}
	return words
}

// alternatives lists words: "a, b or c".
func alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
