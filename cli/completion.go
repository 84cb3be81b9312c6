package cli

import (
	"github.com/spf13/cobra"
)

func newCompletion(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the script that completes commands in a shell",
		Example: `  weir completion bash > /etc/bash_completion.d/weir
  source <(weir completion zsh)`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			out := cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return atRun(root.GenBashCompletionV2(out, true))
			case "zsh":
				return atRun(root.GenZshCompletion(out))
			case "fish":
				return atRun(root.GenFishCompletion(out, true))
			}
			return atRun(root.GenPowerShellCompletionWithDesc(out))
		},
	}
}
