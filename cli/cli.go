package cli

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/cli/bench"
	"github.com/weirnet/weir/cli/command"
	"github.com/weirnet/weir/cli/probe"
)

// Main runs one command and returns its exit code. SIGTERM and an interrupt end it.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, args, in, out, errs)
}

func run(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int {
	return command.Run(ctx, newRoot(), args, in, out, errs)
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
		Args:    command.WantCommand,
		Version: command.Version,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newNode(), newUp(), newEmulate(), newGet(), newPath(), newCheck(), newIntent(), newApply(),
		newDiff(), newDrain(), newUndrain(), newForget(), newTenant(), newToken(), newMember(),
		newBackup(), newRestore(), newPrint(), bench.New(),
		probe.New(), newCert(), newVersion(), newCompletion(root))
	return root
}
