package why

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bridge"
	"github.com/causeway-gitops/causeway/internal/cli/checkout"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/offline"
	"github.com/causeway-gitops/causeway/internal/preview"
	"github.com/causeway-gitops/causeway/internal/screen"
)

type bridgeFlags struct {
	checkout.Flags

	offline  bool
	output   string
	revision string
}

// NewBridge returns the command bridge.
func NewBridge(g *command.Global) *cobra.Command {
	b := &bridgeFlags{Flags: checkout.Flags{Global: g}, output: table.AsTable}
	cmd := &cobra.Command{
		Use:   "bridge [CLUSTER]",
		Short: "Show what is known of clusters, who set it, and who reads it",
		Long: "Print the labels and annotations of a cluster: each with its value, its type, who set it, and the ApplicationSets\n" +
			"that read it; then the facts that the cluster tells of itself, and the keys that are read and not there.\n" +
			"Without a name all clusters are counted, and none is asked. With --repo a repository is looked at, without a hub.",
		Example: "  causeway bridge\n  causeway bridge prod\n  causeway bridge prod --repo . --clusters clusters/ -o json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return command.Usagef("cannot take the argument %q: one cluster is enough", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			b.offline = b.Asked(cmd)
			if err := b.Unused(cmd); err != nil {
				return err
			}
			return b.run(cmd.Context(), strings.Join(args, ""))
		},
	}
	b.Register(cmd)
	cmd.Flags().StringVar(&b.revision, "revision", "", "with --repo: revision to look at (default: the work tree)")
	cmd.Flags().StringVarP(&b.output, "output", "o", b.output, "how to print: table, wide, json, yaml")
	return cmd
}

// bridged is the bridge with what it takes to look at one application.
type bridged struct {
	bridge.Fleet

	schemas []bridge.Schema
	close   func()
	// state is that of a repository; inspector that of a hub.
	state     *preview.State
	inspector *inspect.Inspector
	hub       *target.Hub
}

// openBridge reads the bridge of a repository, or of the hub.
func openBridge(ctx context.Context, o *checkout.Flags, ofRepo bool, revision string) (*bridged, error) {
	if !ofRepo {
		return hubBridge(ctx, o)
	}
	c, err := o.Open(ctx)
	if err != nil {
		return nil, err
	}
	side, err := o.At(ctx, c, revision)
	if err != nil {
		c.Close()
		return nil, err
	}
	state, err := preview.Expand(ctx, side, preview.Options{Namespace: o.Namespace, Roots: o.Roots})
	if err != nil {
		c.Close()
		return nil, err
	}
	schemas, err := c.SchemasOf(side)
	if err != nil {
		c.Close()
		return nil, err
	}
	return &bridged{Fleet: offline.Bridge(state), schemas: schemas, close: c.Close, state: state}, nil
}

func hubBridge(ctx context.Context, o *checkout.Flags) (*bridged, error) {
	mirrors, err := command.SteadyMirrors(o.Mirrors)
	if err != nil {
		return nil, err
	}
	h, err := target.Connect(o.Global)
	if err != nil {
		return nil, err
	}
	inspector, err := target.Inspect(ctx, o.Global, h, mirrors)
	if err != nil {
		return nil, err
	}
	out := &bridged{close: inspector.Close, inspector: inspector, hub: h}
	if out.Fleet, err = inspector.Bridge(ctx); err == nil {
		out.schemas, err = inspector.Schemas(ctx)
	}
	if err != nil {
		inspector.Close()
		return nil, h.Explain(err)
	}
	return out, nil
}

func (b *bridgeFlags) run(ctx context.Context, cluster string) error {
	if err := table.CheckOutput(b.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	if !b.offline && b.Server.Address != "" {
		return b.ofServer(ctx, cluster)
	}
	found, err := openBridge(ctx, &b.Flags, b.offline, b.revision)
	if err != nil {
		return err
	}
	defer found.close()
	reports := bridge.Overview(found.Clusters, found.Sets, found.schemas)
	if err := b.tellFailures(found.Sets); err != nil {
		return err
	}
	if cluster == "" {
		return b.printAll(reports)
	}
	i, err := pick(&b.Flags, found.Clusters, cluster)
	if err != nil {
		return err
	}
	found.ask(ctx, &reports[i])
	return b.printOne(reports[i])
}

// ask has a cluster of a hub tell of itself; that of a repository is not there.
func (b *bridged) ask(ctx context.Context, r *bridge.ClusterReport) {
	if b.inspector == nil {
		return
	}
	var err error
	if r.Facts, err = b.inspector.Facts(ctx, r.Secret, r.Server); err != nil {
		r.Untold = err.Error()
	}
}

// pick finds a cluster, and warns where others have its name.
func pick(o *checkout.Flags, clusters []bridge.Cluster, name string) (int, error) {
	i, err := bridge.Pick(clusters, name)
	if err != nil {
		return -1, err
	}
	if same := bridge.Namesakes(clusters, clusters[i].Name); len(same) > 1 {
		_, err = fmt.Fprintf(o.Err, "warning: %d cluster Secrets have the name %q: %s; this is %s\n", len(same), clusters[i].Name, strings.Join(same, ", "), clusters[i].Secret)
	}
	return i, err
}

// tellFailures warns of sets of which it is not known what they read.
func (b *bridgeFlags) tellFailures(sets []bridge.Set) error {
	for i := range sets {
		if sets[i].Err == nil {
			continue
		}
		if _, err := fmt.Fprintf(b.Err, "warning: %s\n", screen.Words(sets[i].Err.Error())); err != nil {
			return err
		}
	}
	return nil
}

func (b *bridgeFlags) printAll(reports []bridge.ClusterReport) error {
	if !table.Tabular(b.output) {
		return table.PrintValue(b.Out, b.output, reports)
	}
	counts := make([]bridgeCount, 0, len(reports))
	for _, r := range reports {
		c := bridgeCount{cluster: r.Name, keys: len(r.Keys), unread: len(r.Unread())}
		for _, m := range r.Missing {
			c.missing = append(c.missing, m.Name)
		}
		for _, k := range r.Keys {
			if k.Problem != "" {
				c.wrong = append(c.wrong, k.Name)
			}
		}
		counts = append(counts, c)
	}
	return b.printCounts(counts)
}

// bridgeCount is a cluster's line where all are told of.
type bridgeCount struct {
	cluster        string
	keys, unread   int
	missing, wrong []string
}

func (b *bridgeFlags) printCounts(all []bridgeCount) error {
	return table.Print(b.Global, countsTable(all, b.output), b.output)
}

func countsTable(all []bridgeCount, output string) table.Table {
	list := countOf
	if output == table.AsWide {
		list = everyOf
	}
	t := table.Table{Keys: 1, Header: []string{"CLUSTER", "KEYS", "UNREAD", "MISSING", "WRONG"}}
	for _, c := range all {
		t.Rows = append(t.Rows, []string{c.cluster, strconv.Itoa(c.keys), strconv.Itoa(c.unread), table.Dash(list(c.missing)), table.Dash(list(c.wrong))})
	}
	return t
}

func (b *bridgeFlags) printOne(r bridge.ClusterReport) error {
	if !table.Tabular(b.output) {
		return table.PrintValue(b.Out, b.output, r)
	}
	if err := table.Print(b.Global, keysTable(r, b.output), b.output); err != nil {
		return err
	}
	if r.Untold != "" {
		if _, err := fmt.Fprintf(b.Out, "the cluster does not tell all its facts: %s\n", screen.Words(r.Untold)); err != nil {
			return err
		}
	}
	for _, m := range r.Missing {
		if m.Nearest == "" {
			continue
		}
		if _, err := fmt.Fprintf(b.Out, "%s %s is missing: did you mean %q?\n", m.In, m.Name, m.Nearest); err != nil {
			return err
		}
	}
	return nil
}

// keysTable tells of the keys of a cluster: for wide with all that is known of
// who reads them.
func keysTable(r bridge.ClusterReport, output string) table.Table {
	value, readers := table.CompactJSON, readBy
	if output == table.AsWide {
		value, readers = table.PlainJSON, readAt
	}
	t := table.Table{Keys: 2, Header: []string{"IN", "KEY", "VALUE", "TYPE", "SET BY", "READ BY"}}
	for _, k := range r.Keys {
		kind := string(k.Type)
		if k.Schema == "" {
			kind += "?"
		}
		if k.Problem != "" {
			kind = "Failed: " + k.Problem
		}
		t.Rows = append(t.Rows, []string{string(k.In), k.Name, value(k.Value), kind, setBy(k.SetBy), readers(k.Readers)})
	}
	for _, f := range r.Facts {
		t.Rows = append(t.Rows, []string{"fact", f.Name, factValue(f, output), string(f.Type), f.Source, "-"})
	}
	for _, m := range r.Missing {
		t.Rows = append(t.Rows, []string{string(m.In), m.Name, "Missing", "", "", readers(m.Readers)})
	}
	return t
}

// factValue is that of a fact; API versions are many, and counted.
func factValue(f bridge.Fact, output string) string {
	if f.Name == string(causeway.FactAPIVersions) && output != table.AsWide {
		return countOf(strings.Split(f.Value, ","))
	}
	return f.Value
}

func setBy(s bridge.Setter) string {
	switch {
	case s.Where != "":
		return s.Where
	case s.Manager == "":
		return "-"
	case s.Time.IsZero():
		return cmp.Or(s.Source, s.Manager)
	}
	return cmp.Or(s.Source, s.Manager) + " " + table.Age(s.Time, time.Now()) + " ago"
}

// readBy counts those who read a key, and names as many as there is room for:
// what is counted comes first, for a narrow column cuts the names.
func readBy(all []bridge.Reader) string {
	var sets, apps []string
	for _, r := range all {
		sets, apps = append(sets, r.Set), append(apps, r.Applications...)
	}
	sets, apps = command.Compact(sets), command.Compact(apps)
	counts := gitops.Count(len(apps), "app") + ": "
	switch {
	case len(sets) > 1:
		return gitops.Count(len(sets), "set") + ", " + counts + fewOf(sets)
	case len(apps) > 1:
		return counts + sets[0]
	}
	return table.Dash(everyOf(sets))
}

// readAt is everything about those who read a key: the line or field where
// each asks for it, and the applications that it makes.
func readAt(all []bridge.Reader) string {
	var out []string
	for _, r := range all {
		text := r.Set
		if r.Where != "" {
			text += " (" + r.Where + ")"
		}
		switch {
		case r.Loops:
			text += ", in a loop"
		case r.Selects:
			text += ", in a selector"
		}
		if len(r.Applications) > 0 {
			text += ": " + everyOf(r.Applications)
		}
		out = append(out, text)
	}
	return table.Dash(strings.Join(out, "; "))
}

func everyOf(names []string) string { return strings.Join(names, ", ") }

// countOf lists names after their number, which stays where names are cut.
func countOf(names []string) string {
	if len(names) < 2 {
		return everyOf(names)
	}
	return fmt.Sprintf("%d: %s", len(names), fewOf(names))
}

// fewOf lists names, but no more than a person reads.
func fewOf(names []string) string {
	const most = 4
	return gitops.Listed(names, most)
}
