package cli

import (
	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

func newCompletion(g *command.Global) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands and names in a shell",
		Example: "  source <(causeway completion bash)\n  causeway completion zsh > \"${fpath[1]}/_causeway\"\n" +
			"  causeway completion fish > ~/.config/fish/completions/causeway.fish",
		Args: command.One("a shell: bash, zsh, fish or powershell"), ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(command.Exact(g.Out), true)
			case "zsh":
				return root.GenZshCompletion(command.Exact(g.Out))
			case "fish":
				return root.GenFishCompletion(command.Exact(g.Out), true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(command.Exact(g.Out))
			}
			return command.Usagef("there is no script for %q%s", args[0], gitops.DidYouMean(args[0], shells))
		},
	}
}
