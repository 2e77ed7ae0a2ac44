package get

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// branch is an object with what is below it, as it is printed.
type branch struct {
	Group     string    `json:"group,omitempty"`
	Version   string    `json:"version,omitempty"`
	Kind      string    `json:"kind"`
	Namespace string    `json:"namespace,omitempty"`
	Name      string    `json:"name"`
	Sync      string    `json:"sync,omitempty"`
	Health    string    `json:"health,omitempty"`
	Wave      int64     `json:"wave,omitempty"`
	Info      string    `json:"info,omitempty"`
	Children  []*branch `json:"children,omitempty"`
}

type treeFlags struct {
	*command.Global

	output    string
	recursive bool
}

// NewTree returns the command tree.
func NewTree(g *command.Global) *cobra.Command {
	t := &treeFlags{Global: g, output: table.AsTree}
	cmd := &cobra.Command{
		Use:               "tree APP",
		Short:             "Show an application's live objects and what each of them owns",
		Example:           "  causeway tree addon-dev-reloader\n  causeway tree platform-dev --recursive",
		Args:              command.One("an application"),
		RunE:              func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), args[0]) },
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().StringVarP(&t.output, "output", "o", t.output, "how to print: tree, wide, json, yaml, name")
	cmd.Flags().BoolVarP(&t.recursive, "recursive", "r", false, "also what is below applications that the application makes")
	return cmd
}

func (t *treeFlags) run(ctx context.Context, name string) error {
	if err := table.CheckOutput(t.output, table.AsTree, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML, table.AsName); err != nil {
		return err
	}
	h, err := target.Reach(t.Global)
	if err != nil {
		return err
	}
	app, err := h.Application(ctx, name)
	if err != nil {
		return err
	}
	inspector, err := target.Look(ctx, t.Global, h, nil)
	if err != nil {
		return err
	}
	defer inspector.Close()
	grower := &grower{hub: h, trees: inspector, recursive: t.recursive}
	root, err := grower.application(ctx, app, maxDepth)
	if err != nil {
		return err
	}
	for _, left := range grower.left {
		_, _ = fmt.Fprintf(t.Err, "warning: %s\n", screen.Words(left.Error()))
	}
	return t.print(root)
}

// maxDepth bounds applications of applications.
const maxDepth = 8

// grower joins trees of applications.
type grower struct {
	hub       *target.Hub
	trees     target.Trees
	recursive bool
	// left are the reasons for what had to be left out.
	left []error
}

func (g *grower) application(ctx context.Context, app *v1alpha1.Application, depth int) (*branch, error) {
	root := &branch{
		Group: v1alpha1.Group, Version: v1alpha1.Version, Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name,
		Sync: string(app.Status.Sync.Status), Health: string(app.Status.Health.Status),
	}
	nodes, err := g.trees.Tree(ctx, app)
	if err != nil && len(nodes) == 0 && len(app.Status.Resources) > 0 {
		return nil, fmt.Errorf("cannot look below application %s: %w", app.Name, err)
	}
	if err != nil {
		g.left = append(g.left, err)
	}
	byKey := map[gitops.Key]*observe.Node{}
	for _, n := range nodes {
		byKey[n.Key] = n
	}
	for _, r := range inOrder(app.Status.Resources) {
		root.Children = append(root.Children, resourceBranch(r, byKey))
	}
	return root, g.expand(ctx, root, depth)
}

// inOrder sorts by wave, then as a person looks for things.
func inOrder(resources []v1alpha1.ResourceStatus) []v1alpha1.ResourceStatus {
	resources = slices.Clone(resources)
	slices.SortStableFunc(resources, func(a, b v1alpha1.ResourceStatus) int {
		return cmp.Or(cmp.Compare(a.SyncWave, b.SyncWave), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return resources
}

// resourceBranch joins what the status says of an object with what is live.
func resourceBranch(r v1alpha1.ResourceStatus, live map[gitops.Key]*observe.Node) *branch {
	b := &branch{Group: r.Group, Version: r.Version, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, Sync: string(r.Status), Wave: r.SyncWave}
	n := live[gitops.Key{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}]
	if n == nil {
		b.Health = string(gitops.Missing)
		return b
	}
	b.take(n)
	if r.RequiresPruning {
		b.Info = "no longer in Git"
	}
	return b
}

func (b *branch) take(n *observe.Node) {
	b.Health = string(n.Health.Code)
	b.Info = n.Info
	if n.Health.Code != gitops.Healthy && n.Health.Message != "" {
		b.Info = screen.Words(n.Health.Message)
	}
	for _, child := range n.Children {
		below := &branch{Group: child.Key.Group, Version: child.Version, Kind: child.Key.Kind, Namespace: child.Key.Namespace, Name: child.Key.Name}
		below.take(child)
		b.Children = append(b.Children, below)
	}
}

// expand fills in what the hub knows of applications in the tree and, when
// that was asked for, what is below them.
func (g *grower) expand(ctx context.Context, b *branch, depth int) error {
	for i, child := range b.Children {
		if child.Kind != v1alpha1.ApplicationKind || child.Group != v1alpha1.Group {
			if err := g.expand(ctx, child, depth); err != nil {
				return err
			}
			continue
		}
		app, err := g.hub.Application(ctx, child.Namespace+"/"+child.Name)
		if err != nil {
			continue // gone since, or none of this hub's
		}
		child.Sync, child.Health = string(app.Status.Sync.Status), string(app.Status.Health.Status)
		if !g.recursive || depth == 0 {
			continue
		}
		below, err := g.application(ctx, app, depth-1)
		if err != nil {
			return err
		}
		below.Wave = child.Wave
		b.Children[i] = below
	}
	return nil
}
