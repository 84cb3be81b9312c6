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
)

// The exit codes.
const (
	exitDone  = 0
	exitFound = 1 // found at run time
	exitUsage = 2 // wrong flags or configuration
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
	var found *runError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &found):
		if found.err != nil {
			fmt.Fprintf(errs, "weir: %v\n", found.err)
		}
		return exitFound
	}
	if wrong := new(wrongFile); errors.As(err, &wrong) { // a line for each problem, as compilers have it
		fmt.Fprintln(errs, wrong.text)
		return exitUsage
	}
	fmt.Fprintf(errs, "weir: %s (%s --help shows how)\n", oneLine(err), cmd.CommandPath())
	return exitUsage
}

// oneLine joins the lines of an error: cobra suggests commands on lines of their own.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// runError is an error found at run time. All others are of flags, arguments or configuration: cobra makes those itself.
// Its err is nil where everything was said already.
type runError struct{ err error }

func (e *runError) Error() string { return fmt.Sprint(e.err) }
func (e *runError) Unwrap() error { return e.err }

// atRun marks an error as found at run time.
func atRun(err error) error {
	if err == nil || errors.As(err, new(*runError)) {
		return err
	}
	return &runError{err}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "weir",
		Short: "A network operating system: controls OpenFlow networks, shows them, and measures",
		Example: `  weir node                      start an instance
  weir get switches              what it sees
  weir get links --watch         and what changes
  weir path A B                  the way between two hosts
  weir intent add --host A B     connect them, for good`,
		Args:          cobra.NoArgs,
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagProblem)
	root.AddCommand(newNode(), newUp(), newEmulate(), newGet(), newPath(), newCheck(), newIntent(), newApply(), newDiff(), newDrain(), newUndrain(), newForget(), newBackup(), newRestore(), newPrint(), newBench(), newCert(), newVersion(), newCompletion(root))
	return root
}
