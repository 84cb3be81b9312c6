package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// NoBound as the upper bound of WantArgs means any number.
const NoBound = -1

// WantArgs checks that a command gets from least to most arguments; want describes them, with an
// example.
func WantArgs(least, most int, want string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || most != NoBound && len(args) > most {
			return fmt.Errorf("%s given, want %s", Plural(len(args), "argument", "arguments"), want)
		}
		return nil
	}
}

// WantNoArgs checks the arguments of commands that have neither arguments nor subcommands.
func WantNoArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.Flags().Lookup("file") != nil:
		return fmt.Errorf("argument %q given, want the file behind -f: %s -f %s", args[0], cmd.CommandPath(), args[0])
	}
	return fmt.Errorf("argument %q given, %s takes none", args[0], cmd.CommandPath())
}

// WantCommand checks the arguments of commands that only have subcommands.
func WantCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = max(1, min(2, len(args[0])/3)) // in letters
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("unknown command %q for %q: perhaps %s is meant", args[0], cmd.CommandPath(),
			strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
}

// TakeKindAndName has a command take KIND X, where KIND is one of kinds.
func TakeKindAndName(cmd *cobra.Command, kinds ...string) {
	cmd.ValidArgs = kinds
	cmd.Args = func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) != 2:
			return fmt.Errorf("%s given, want KIND X: KIND is %s", Plural(len(args), "argument", "arguments"),
				alternatives(kinds))
		case !slices.Contains(kinds, args[0]):
			return fmt.Errorf("kind %q given, want %s", args[0], alternatives(kinds))
		}
		return nil
	}
}

// Plural formats a number with the singular or plural of a word.
func Plural(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}
