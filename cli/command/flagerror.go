package command

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagForms describes the values of flags that pflag parses, by the names of their types.
var flagForms = map[string]string{
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

// flagProblem tells what a flag was given and what it takes, in place of the error of pflag's
// parser. After an unknown subcommand it is the command that is wrong, not its flags.
func flagProblem(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return WantCommand(cmd, cmd.Flags().Args())
	}
	var none *pflag.ValueRequiredError
	if errors.As(err, &none) {
		typ := none.GetFlag().Value.Type()
		return fmt.Errorf("--%s given without a value, want %s", none.GetFlag().Name, cmp.Or(flagForms[typ], typ))
	}
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	if want := flagForms[bad.GetFlag().Value.Type()]; want != "" {
		return fmt.Errorf("--%s=%s given, want %s", bad.GetFlag().Name, bad.GetValue(), want)
	}
	return err
}
