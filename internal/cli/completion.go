package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func newCompletion(g *global) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print a script that completes commands and names in a shell",
		Example: "  source <(causeway completion bash)\n  causeway completion zsh > \"${fpath[1]}/_causeway\"\n" +
			"  causeway completion fish > ~/.config/fish/completions/causeway.fish",
		Args: one("a shell: bash, zsh, fish or powershell"), ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(exact(g.Out), true)
			case "zsh":
				return root.GenZshCompletion(exact(g.Out))
			case "fish":
				return root.GenFishCompletion(exact(g.Out), true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(exact(g.Out))
			}
			return usagef("there is no script for %q%s", args[0], gitops.DidYouMean(args[0], shells))
		},
	}
}

// completePatience bounds a completion: a person has pressed a key.
const completePatience = 2 * time.Second

// completeGet completes kinds, then names of the kind.
func (g *global) completeGet(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return kindNames(), cobra.ShellCompDirectiveNoFileComp
	}
	return g.completeNames(cmd, args[0])
}

// completeApp completes names of Applications.
func (g *global) completeApp(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return g.completeNames(cmd, "apps")
}

func (g *global) completeNames(cmd *cobra.Command, of string) ([]string, cobra.ShellCompDirective) {
	what, err := kindNamed(of)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	h, err := g.reach()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	parent := cmd.Context()
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithTimeout(parent, completePatience)
	defer cancel()
	items, err := what.list(ctx, h, query{selector: labels.Everything(), now: time.Now()})
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	found := make([]string, 0, len(items))
	for _, it := range items {
		found = append(found, it.name)
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
