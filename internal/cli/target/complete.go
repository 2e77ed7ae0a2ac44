package target

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// completePatience bounds a completion: a person has pressed a key.
const completePatience = 2 * time.Second

// CompleteApps completes names of Applications.
func CompleteApps(g *command.Global) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return Complete(cmd, g, appNames)
	}
}

func appNames(ctx context.Context, h *Hub) ([]string, error) {
	list := &v1alpha1.ApplicationList{}
	if err := h.Client.List(ctx, list, client.InNamespace(h.Namespace)); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(list.Items))
	for i := range list.Items {
		names = append(names, h.NameOf(&list.Items[i]))
	}
	return names, nil
}

// Complete completes names that a hub or a server tells within a moment.
func Complete(cmd *cobra.Command, g *command.Global, names func(context.Context, *Hub) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	h, err := Reach(g)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	parent := cmd.Context()
	if parent == nil {
		parent = context.Background()
	}
	ctx, cancel := context.WithTimeout(parent, completePatience)
	defer cancel()
	found, err := names(ctx, h)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
