package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/strictyaml"
)

// The exit codes.
const (
	ExitDone    = 0
	ExitRuntime = 1 // errors at run time
	ExitUsage   = 2 // wrong flags, arguments or configuration
)

// Run runs one command of root and returns its exit code.
func Run(ctx context.Context, root *cobra.Command, args []string, in io.Reader, out, errs io.Writer) int {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(flagProblem)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	cmd, err := root.ExecuteContextC(ctx)
	var failed *ExitError
	switch {
	case err == nil:
		return ExitDone
	case errors.As(err, &failed):
		if failed.Err != nil {
			fmt.Fprintf(errs, "weir: %v\n", failed.Err)
		}
		return ExitRuntime
	}
	if wrong := new(strictyaml.FileError); errors.As(err, &wrong) { // one line for each problem
		fmt.Fprintln(errs, wrong)
		return ExitUsage
	}
	fmt.Fprintf(errs, "weir: %s (%s --help shows how)\n", OneLine(err), cmd.CommandPath())
	return ExitUsage
}

// OneLine joins the lines of an error: cobra suggests commands on lines of their own.
func OneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// ExitError ends a command with ExitRuntime. Every other error is one of flags, arguments or
// configuration, many of which cobra makes. Err is nil where it was printed already.
type ExitError struct{ Err error }

// Error implements error.
func (e *ExitError) Error() string { return fmt.Sprint(e.Err) }

// Unwrap has errors.Is and errors.As find what was wrong.
func (e *ExitError) Unwrap() error { return e.Err }

// RuntimeError marks an error as one at run time, not of usage.
func RuntimeError(err error) error {
	if err == nil || errors.As(err, new(*ExitError)) {
		return err
	}
	return &ExitError{Err: err}
}
