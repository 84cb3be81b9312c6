package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wanted is what flags take whose values the library parses, by the names of their types, with an example.
var wanted = map[string]string{
	"bool":     "true or false",
	"int":      "a whole number, such as 4",
	"uint":     "a whole number from 0 on, such as 4",
	"uint8":    "a whole number from 0 to 255, such as 4",
	"uint16":   "a whole number from 0 to 65535, such as 4",
	"uint32":   "a whole number from 0 to 4294967295, such as 4",
	"uint64":   "a whole number from 0 on, such as 7",
	"float64":  "a number, such as 0.5",
	"duration": "a time with a unit, such as 500ms or 5s",
}

// flagProblem says what a flag was given and what it takes, where the library would show the error of its parser.
func flagProblem(_ *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	if want := wanted[bad.GetFlag().Value.Type()]; want != "" {
		return fmt.Errorf("--%s=%s given, want %s", bad.GetFlag().Name, bad.GetValue(), want)
	}
	return err
}
