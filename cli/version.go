package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Version and Commit are stamped by the linker: -ldflags "-X
// github.com/weirnet/weir/cli.Version=1.2.3".
var (
	Version = "0.0.0-dev"
	Commit  = ""
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Show which build this is",
		Example: "  weir version",
		Args:    wantNoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "weir %s, commit %s, %s, %s/%s\n", Version, commit(),
				runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return runtimeError(err)
		},
	}
}

// commit returns the stamped commit, or else the one that the Go tool recorded.
func commit() string {
	if Commit != "" {
		return Commit
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return "unknown"
}
