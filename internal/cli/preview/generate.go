package preview

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/screen"
)

type generateFlags struct {
	checkout.Flags

	revision string
	output   string
}

// NewGenerate returns the command generate.
func NewGenerate(g *command.Global) *cobra.Command {
	f := &generateFlags{Flags: checkout.Flags{Global: g}, output: table.AsYAML}
	cmd := &cobra.Command{
		Use:   "generate [SET…]",
		Short: "Print the Applications that a repository's ApplicationSets and app-of-apps give",
		Long: "Expand what a repository declares, for every cluster, and print the Applications: all of them, or those of\n" +
			"the sets and applications that are named.",
		Example: "  causeway generate --clusters clusters/ -o table\n  causeway generate addons --clusters fleet.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Emptied(cmd.Flags(), "revision"); err != nil {
				return err
			}
			return f.run(cmd.Context(), args)
		},
	}
	f.Register(cmd)
	cmd.Flags().StringVar(&f.revision, "revision", "", "revision to look at (default: the work tree, with uncommitted edits)")
	cmd.Flags().StringVarP(&f.output, "output", "o", f.output, "how to print: yaml, json, name, table, wide")
	return cmd
}

func (f *generateFlags) run(ctx context.Context, names []string) error {
	if err := table.CheckOutput(f.output, table.AsYAML, table.AsJSON, table.AsName, table.AsTable, table.AsWide); err != nil {
		return err
	}
	progress := command.NewProgress(f.Err)
	c, err := f.Open(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	side, err := f.At(ctx, c, f.revision)
	if err != nil {
		return err
	}
	state, err := preview.Expand(ctx, side, preview.Options{Namespace: f.Namespace, Roots: f.Roots, Progress: progress.Show})
	progress.End()
	if err != nil {
		return err
	}
	apps, err := madeBy(state, names)
	if err != nil {
		return err
	}
	if err := f.print(apps); err != nil {
		return err
	}
	failures := state.Failures()
	for _, x := range failures {
		_, _ = fmt.Fprintf(f.Err, "error: %s: %s%s\n", place(x), screen.Words(x.Message), onClusters(x))
	}
	if len(failures) > 0 {
		return command.ErrSaid
	}
	return nil
}

// madeBy are the applications of the named parents; all when none is named.
func madeBy(s *preview.State, names []string) ([]*preview.App, error) {
	all := s.Applications()
	if len(names) == 0 {
		return all, nil
	}
	var known []string
	for _, x := range s.ApplicationSets() {
		known = append(known, x.Name)
	}
	for _, a := range all {
		known = append(known, a.Name)
	}
	var out []*preview.App
	for _, n := range names {
		if n == "" { // what nobody made has a parent of that name
			return nil, command.Usagef("cannot tell which ApplicationSet or Application is meant by an empty name: leave it out for all, or see why the variable that it came from is empty")
		}
		found := false
		for _, a := range all {
			if a.Parent.Name != n && a.Name != n {
				continue
			}
			found = true
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
		for _, x := range s.ApplicationSets() {
			found = found || x.Name == n
		}
		if !found {
			return nil, fmt.Errorf("the repository has no ApplicationSet or Application %q%s", n, gitops.DidYouMean(n, known))
		}
	}
	return out, nil
}

func (f *generateFlags) print(apps []*preview.App) error {
	switch f.output {
	case table.AsJSON:
		items := make([]any, 0, len(apps))
		for _, a := range apps {
			items = append(items, written(a))
		}
		return table.PrintValue(f.Out, table.AsJSON, map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	case table.AsTable, table.AsWide:
		return table.Print(f.Global, generatedTable(apps), f.output)
	case table.AsName:
		for _, a := range apps {
			if _, err := fmt.Fprintln(f.Out, screen.Line("application/"+a.Name)); err != nil {
				return err
			}
		}
		return nil
	}
	for _, a := range apps {
		text, err := sigsyaml.Marshal(written(a))
		if err != nil {
			return fmt.Errorf("cannot print application %s: %w", a.Name, err)
		}
		if _, err := fmt.Fprintf(command.Exact(f.Out), "---\n%s", text); err != nil {
			return err
		}
	}
	return nil
}

func generatedTable(apps []*preview.App) table.Table {
	t := table.Table{Keys: 1, Header: []string{"NAME", "CLUSTER", "PROJECT", "SOURCE", "FROM"}}
	for _, a := range apps {
		t.Rows = append(t.Rows, []string{a.Name, table.Dash(a.Cluster.Name), a.Spec.GetProject(), sourceOf(a), table.Dash(a.Parent.Name)})
	}
	return t
}

// writtenMetadata is what a person writes of it.
type writtenMetadata struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Finalizers  []string          `json:"finalizers,omitempty"`
}

// written is an Application as a person would write it.
func written(a *preview.App) any {
	out := a.DeepCopy()
	out.APIVersion, out.Kind = v1alpha1.GroupVersion.String(), v1alpha1.ApplicationKind
	return struct {
		APIVersion string                   `json:"apiVersion"`
		Kind       string                   `json:"kind"`
		Metadata   writtenMetadata          `json:"metadata"`
		Spec       v1alpha1.ApplicationSpec `json:"spec"`
	}{out.APIVersion, out.Kind, writtenMetadata{out.Name, out.Namespace, out.Labels, out.Annotations, out.Finalizers}, out.Spec}
}

func sourceOf(a *preview.App) string {
	all := a.Spec.GetSources()
	if len(all) == 0 {
		return "-"
	}
	s := all[0]
	text := s.Path
	if s.Chart != "" {
		text = s.Chart
	}
	if s.TargetRevision != "" {
		text += "@" + s.TargetRevision
	}
	if len(all) > 1 {
		text += fmt.Sprintf(" +%d", len(all)-1)
	}
	return table.Dash(text)
}
