package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/weirnet/weir/strictyaml"
)

// The exit codes.
const (
	exitDone    = 0
	exitRuntime = 1 // errors at run time
	exitUsage   = 2 // wrong flags, arguments or configuration
)

// Main runs one command and returns its exit code. SIGTERM and an interrupt end it.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, args, in, out, errs)
}

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errs)
	cmd, err := root.ExecuteContextC(ctx)
	var failed *exitError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &failed):
		if failed.err != nil {
			fmt.Fprintf(errs, "weir: %v\n", failed.err)
		}
		return exitRuntime
	}
	if wrong := new(strictyaml.FileError); errors.As(err, &wrong) { // one line for each problem
		fmt.Fprintln(errs, wrong)
		return exitUsage
	}
	fmt.Fprintf(errs, "weir: %s (%s --help shows how)\n", oneLine(err), cmd.CommandPath())
	return exitUsage
}

// oneLine joins the lines of an error: cobra suggests commands on lines of their own.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// exitError ends a command with exitRuntime. Every other error is one of flags, arguments or
// configuration, many of which cobra makes. Its err is nil where it was printed already.
type exitError struct{ err error }

func (e *exitError) Error() string { return fmt.Sprint(e.err) }
func (e *exitError) Unwrap() error { return e.err }

// runtimeError marks an error as one at run time, not of usage.
func runtimeError(err error) error {
	if err == nil || errors.As(err, new(*exitError)) {
		return err
	}
	return &exitError{err}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "weir",
		Short: "A network operating system: controls OpenFlow networks, shows them, and measures",
		Example: `  weir node                      start an instance
  weir get switches              what it sees
  weir get links --watch         and what changes
  weir path A B                  the path between two hosts
  weir intent add --host A B     connect them, for good`,
		Args:          wantCommand,
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagProblem)
	root.AddCommand(newNode(), newUp(), newEmulate(), newGet(), newPath(), newCheck(), newIntent(), newApply(),
		newDiff(), newDrain(), newUndrain(), newForget(), newBackup(), newRestore(), newPrint(), newBench(), newProbe(),
		newCert(), newVersion(), newCompletion(root))
	return root
}
