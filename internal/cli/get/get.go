package get

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/rows"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
)

type flags struct {
	*command.Global

	filter appFilter
	wanted rows.AppTest

	output   string
	selector string
	projects []string
	watch    bool
	all      bool
	refresh  string
	// bare leaves out the headings of tables that go on.
	bare bool
	// named is what was asked for by name: all of its text is shown.
	named bool
}

// New returns the command get.
func New(g *command.Global) *cobra.Command {
	f := &flags{Global: g, output: table.AsTable}
	cmd := &cobra.Command{
		Use:   "get apps|appsets|clusters|repos|projects [NAME…]",
		Short: "List applications, application sets, clusters, repositories or projects",
		Example: "  causeway get apps\n  causeway get apps -l environment=prod -o wide\n" +
			"  causeway get app addons -o yaml\n  causeway get app addons --refresh\n  causeway get clusters",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return command.Usagef("name what to list: %s", strings.Join(kindNames(), ", "))
			}
			_, err := kindNamed(args[0])
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := command.Emptied(cmd.Flags(), "refresh"); err != nil {
				return err
			}
			what, err := kindNamed(args[0])
			if err != nil {
				return err
			}
			if f.wanted, err = f.filter.compile(what); err != nil {
				return err
			}
			if err := f.checkRefresh(what, args[1:]); err != nil {
				return err
			}
			return f.run(cmd.Context(), what, args[1:])
		},
		ValidArgsFunction: completeKinds(g),
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", f.output, "how to print: table, wide, json, yaml, name")
	cmd.Flags().StringVarP(&f.selector, "selector", "l", "", "only those whose labels match, as in environment=prod,team!=web")
	cmd.Flags().StringSliceVar(&f.projects, "project", nil, "only those of this project, or of these")
	f.filter.register(cmd.Flags())
	cmd.Flags().BoolVarP(&f.all, "all-namespaces", "A", false, "applications of all namespaces, those of others as NAMESPACE/NAME")
	target.RefreshFlag(cmd.Flags(), &f.refresh, "of applications by name: have the engine look at Git and the cluster first, with hard also render anew")
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "print a line whenever one changes")
	return cmd
}

func (f *flags) run(ctx context.Context, what kind, names []string) error {
	if err := table.CheckOutput(f.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML, table.AsName); err != nil {
		return err
	}
	selector, err := labels.Parse(f.selector)
	if err != nil {
		return command.Usagef("cannot understand --selector: %w", err)
	}
	h, err := target.Reach(f.Global)
	if err != nil {
		return err
	}
	names = plainly(what, h, names)
	f.named = len(names) > 0
	if f.refresh != "" {
		if err := f.refreshed(ctx, h, command.Compact(names)); err != nil {
			return err
		}
	}
	list := func(ctx context.Context) ([]rows.Row, error) {
		items, err := what.list(ctx, h, f.query(h, selector, names))
		if err != nil {
			return nil, h.Explain(err)
		}
		slices.SortFunc(items, func(a, b rows.Row) int { return cmp.Compare(a.Name, b.Name) })
		picked, missing := pick(what, items, names)
		return picked, errors.Join(missing...)
	}
	items, err := list(ctx)
	if len(items) == 0 && err != nil {
		return err
	}
	if err := errors.Join(f.print(what, items, len(names) == 1), err); err != nil || !f.watch {
		return err
	}
	return f.follow(ctx, what, items, list)
}

// plainly leaves out of names of applications the control namespace, which lists do not have.
func plainly(what kind, h *target.Hub, names []string) []string {
	if what.singular != applicationKind().singular {
		return names
	}
	out := make([]string, 0, len(names))
	for _, name := range names {
		out = append(out, strings.TrimPrefix(name, h.Namespace+"/"))
	}
	return out
}

func (f *flags) query(h *target.Hub, selector labels.Selector, names []string) rows.Query {
	return rows.Query{Selector: selector, Projects: f.projects, Wanted: f.wanted, Namespaces: f.namespacesOf(h, names), Now: time.Now()}
}

// namespacesOf are the namespaces of Applications to list: the control
// namespace or those that are asked for, those that arguments name, or all.
func (f *flags) namespacesOf(h *target.Hub, names []string) []string {
	if f.all {
		return []string{""}
	}
	out := []string{h.Namespace}
	if len(f.filter.Namespace) > 0 {
		out = command.Compact(f.filter.Namespace)
	}
	for _, name := range names {
		if namespace := h.Key(name).Namespace; !slices.Contains(out, namespace) {
			out = append(out, namespace)
		}
	}
	return out
}

// pick keeps the items that are named; all when none is. What is missing comes
// with those that are there.
func pick(what kind, items []rows.Row, wanted []string) (picked []rows.Row, missing []error) {
	if len(wanted) == 0 {
		return items, nil
	}
	known := make([]string, 0, len(items))
	for _, it := range items {
		known = append(known, it.Name)
	}
	for _, name := range wanted {
		i := slices.Index(known, name)
		if i < 0 {
			missing = append(missing, fmt.Errorf("there is no %s %q%s", what.singular, name, command.NearOr(name, known, "get "+what.aliases[0])))
			continue
		}
		picked = append(picked, items[i])
	}
	return picked, missing
}

func (f *flags) print(what kind, items []rows.Row, single bool) error {
	switch f.output {
	case table.AsJSON, table.AsYAML:
		return table.PrintValue(f.Out, f.output, objects(items, single))
	case table.AsName:
		for _, it := range items {
			if _, err := fmt.Fprintf(f.Out, "%s/%s\n", what.resource, it.Name); err != nil {
				return err
			}
		}
		return nil
	}
	if len(items) == 0 {
		_, _ = fmt.Fprintf(f.Err, "no %s found\n", what.aliases[0])
		return nil
	}
	return table.Print(f.Global, f.tableOf(what, items), f.output)
}

// objects is the one object that was named, or a List of all.
func objects(items []rows.Row, single bool) any {
	if single && len(items) == 1 {
		return items[0].Object
	}
	all := make([]any, 0, len(items))
	for _, it := range items {
		all = append(all, it.Object)
	}
	return map[string]any{"apiVersion": "v1", "kind": "List", "items": all}
}

func (f *flags) tableOf(what kind, items []rows.Row) table.Table {
	t := table.Table{Keys: 1, Whole: f.named, Bare: f.bare, Header: f.cells(what.header, what.wide)}
	for _, it := range items {
		t.Rows = append(t.Rows, f.cells(it.Cells, it.Wide))
	}
	return t
}

// cells puts the wide columns before the last one, which is the longest.
func (f *flags) cells(cells, wide []string) []string {
	if f.output != table.AsWide {
		return cells
	}
	last := len(cells) - 1
	return slices.Concat(cells[:last], wide, cells[last:])
}

// follow prints the items that changed since the last look.
func (f *flags) follow(ctx context.Context, what kind, items []rows.Row, list func(context.Context) ([]rows.Row, error)) error {
	seen := map[string]string{}
	for _, it := range items {
		seen[it.Name] = what.mark(it)
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(command.WatchPause):
		}
		items, err := list(ctx)
		if err != nil {
			return unlessOver(ctx, err)
		}
		if err := f.printChanged(what, items, seen); err != nil {
			return err
		}
	}
}

// unlessOver forgets an error that ctrl-c has caused.
func unlessOver(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // asked for
	}
	return err
}

func (f *flags) printChanged(what kind, items []rows.Row, seen map[string]string) error {
	var changed []rows.Row
	for _, it := range items {
		mark := what.mark(it)
		if seen[it.Name] != mark {
			changed = append(changed, it)
		}
		seen[it.Name] = mark
	}
	if len(changed) == 0 {
		return nil
	}
	f.bare = true
	return f.print(what, changed, false)
}
