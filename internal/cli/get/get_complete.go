package get

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/target"
)

// completeKinds completes kinds, then names of the kind.
func completeKinds(g *command.Global) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return kindNames(), cobra.ShellCompDirectiveNoFileComp
		}
		what, err := kindNamed(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return target.Complete(cmd, g, what.names)
	}
}

func (k kind) names(ctx context.Context, h *target.Hub) ([]string, error) {
	items, err := k.list(ctx, h, rows.Query{Selector: labels.Everything(), Now: time.Now()})
	if err != nil {
		return nil, err
	}
	found := make([]string, 0, len(items))
	for _, it := range items {
		found = append(found, it.Name)
	}
	return found, nil
}
