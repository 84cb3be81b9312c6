package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/cli/command"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show which build this is",
		Example: "  weir version",
		Args:    command.WantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "weir %s, commit %s, %s, %s/%s\n", command.Version, command.Commit(),
				runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return command.RuntimeError(err)
		},
	}
}
