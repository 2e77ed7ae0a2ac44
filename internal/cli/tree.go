package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/observe"
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
	*global

	output    string
	recursive bool
}

func newTree(g *global) *cobra.Command {
	t := &treeFlags{global: g, output: asTree}
	cmd := &cobra.Command{
		Use:               "tree APP",
		Short:             "Show an application's live objects and what each of them owns",
		Example:           "  causeway tree addon-dev-reloader\n  causeway tree platform-dev --recursive",
		Args:              exactly(1, "an application"),
		RunE:              func(cmd *cobra.Command, args []string) error { return t.run(cmd.Context(), args[0]) },
		ValidArgsFunction: g.completeApp,
	}
	cmd.Flags().StringVarP(&t.output, "output", "o", t.output, "how to print: tree, wide, json, yaml, name")
	cmd.Flags().BoolVarP(&t.recursive, "recursive", "r", false, "also what is below applications that the application makes")
	return cmd
}

func (t *treeFlags) run(ctx context.Context, name string) error {
	if err := checkOutput(t.output, asTree, asTable, asWide, asJSON, asYAML, asName); err != nil {
		return err
	}
	h, err := t.connect()
	if err != nil {
		return err
	}
	app, err := h.application(ctx, name)
	if err != nil {
		return err
	}
	grower := &grower{hub: h, recursive: t.recursive}
	root, err := grower.application(ctx, app, maxDepth)
	if err != nil {
		return err
	}
	return t.print(root)
}

// maxDepth bounds applications of applications.
const maxDepth = 8

// grower reads trees from the clusters.
type grower struct {
	hub       *hub
	recursive bool
}

// lookups is how many objects are read at the same time.
const lookups = 16

func (g *grower) application(ctx context.Context, app *v1alpha1.Application, depth int) (*branch, error) {
	root := &branch{
		Group: v1alpha1.Group, Version: v1alpha1.Version, Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name,
		Sync: string(app.Status.Sync.Status), Health: string(app.Status.Health.Status),
	}
	s, err := g.hub.destination(ctx, app.Spec.Destination)
	if err != nil {
		return nil, fmt.Errorf("cannot look below application %s: %w", app.Name, err)
	}
	live, err := newLiveObjects(s.config)
	if err != nil {
		return nil, fmt.Errorf("cannot look at cluster %s: %w", s.Name, err)
	}
	resources := slices.Clone(app.Status.Resources)
	slices.SortStableFunc(resources, func(a, b v1alpha1.ResourceStatus) int {
		return cmp.Or(cmp.Compare(a.SyncWave, b.SyncWave), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	found, err := fetch(ctx, live, resources)
	if err != nil {
		return nil, fmt.Errorf("cannot read the objects of application %s on cluster %s: %w", app.Name, s.Name, err)
	}
	nodes, err := observe.Tree(ctx, live, present(found))
	if err != nil && len(nodes) == 0 {
		return nil, fmt.Errorf("cannot look below application %s on cluster %s: %w", app.Name, s.Name, err)
	}
	byKey := map[gitops.Key]*observe.Node{}
	for _, n := range nodes {
		byKey[n.Key] = n
	}
	for i, r := range resources {
		root.Children = append(root.Children, resourceBranch(r, found[i], byKey))
	}
	return root, g.expand(ctx, root, depth)
}

func fetch(ctx context.Context, live *liveObjects, resources []v1alpha1.ResourceStatus) ([]*unstructured.Unstructured, error) {
	found := make([]*unstructured.Unstructured, len(resources))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(lookups)
	for i, r := range resources {
		group.Go(func() (err error) {
			found[i], err = live.get(ctx, gitops.Key{Group: r.Group, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}, r.Version)
			return err
		})
	}
	return found, group.Wait()
}

func present(found []*unstructured.Unstructured) []*unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(found), func(o *unstructured.Unstructured) bool { return o == nil })
}

// resourceBranch joins what the status says of an object with what is live.
func resourceBranch(r v1alpha1.ResourceStatus, live *unstructured.Unstructured, nodes map[gitops.Key]*observe.Node) *branch {
	b := &branch{Group: r.Group, Version: r.Version, Kind: r.Kind, Namespace: r.Namespace, Name: r.Name, Sync: string(r.Status), Wave: r.SyncWave}
	if live == nil {
		b.Health = string(gitops.Missing)
		return b
	}
	if n := nodes[gitops.KeyOf(live)]; n != nil {
		b.take(n)
	}
	if r.RequiresPruning {
		b.Info = "no longer in Git"
	}
	return b
}

func (b *branch) take(n *observe.Node) {
	b.Health = string(n.Health.Code)
	b.Info = n.Info
	if n.Health.Code != gitops.Healthy && n.Health.Message != "" {
		b.Info = oneLine(n.Health.Message)
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
		app, err := g.hub.application(ctx, child.Name)
		if err != nil || child.Namespace != g.hub.namespace {
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
