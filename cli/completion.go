package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirnet/weir/cli/command"
)

// shells are those that commands can be completed in.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func wantShell(_ *cobra.Command, args []string) error {
	switch {
	case len(args) != 1:
		return fmt.Errorf("%s given, want one of %s", command.Plural(len(args), "argument", "arguments"),
			strings.Join(shells, ", "))
	case !slices.Contains(shells, args[0]):
		return fmt.Errorf("shell %q given, want one of %s", args[0], strings.Join(shells, ", "))
	}
	return nil
}

func newCompletion(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the script that completes commands in a shell",
		Example: `  weir completion bash > /etc/bash_completion.d/weir
  source <(weir completion zsh)`,
		Args:      wantShell,
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return command.RuntimeError(root.GenBashCompletionV2(out, true))
			case "zsh":
				return command.RuntimeError(root.GenZshCompletion(out))
			case "fish":
				return command.RuntimeError(root.GenFishCompletion(out, true))
			}
			return command.RuntimeError(root.GenPowerShellCompletionWithDesc(out))
		},
	}
}
