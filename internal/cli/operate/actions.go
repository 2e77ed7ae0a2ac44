package operate

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/differences"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/screen"
)

type actionsFlags struct {
	*command.Global

	output     string
	parameters []string
	dryRun     bool
}

// available is an action of an object, as it is printed.
type available struct {
	Group      string      `json:"group,omitempty"`
	Kind       string      `json:"kind"`
	Namespace  string      `json:"namespace,omitempty"`
	Name       string      `json:"name"`
	Action     string      `json:"action"`
	Title      string      `json:"title,omitempty"`
	Disabled   bool        `json:"disabled,omitempty"`
	Parameters []parameter `json:"parameters,omitempty"`
}

type parameter struct {
	Name    string `json:"name"`
	Type    string `json:"type,omitempty"`
	Default string `json:"default,omitempty"`
}

// NewActions returns the command actions.
func NewActions(g *command.Global) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "actions",
		Short: "List and run actions of live objects: restart, pause, scale and the like",
		Args:  command.UnknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newActionsList(g), newActionsRun(g))
	return cmd
}

func newActionsList(g *command.Global) *cobra.Command {
	a := &actionsFlags{Global: g, output: table.AsTable}
	cmd := &cobra.Command{
		Use:   "list APP [OBJECT]",
		Short: "List what can be done with an application's live objects",
		Long: "List the actions of an application's live objects, and of what they own. An action that the object's\n" +
			"present state rules out is disabled.",
		Example: "  causeway actions list shop\n  causeway actions list shop Deployment/web",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return command.Usagef("name an application, and an object if not all are asked for")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return a.list(cmd.Context(), append(args, "")[:2]) },
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().StringVarP(&a.output, "output", "o", a.output, "how to print: table, wide, json, yaml, name")
	return cmd
}

func newActionsRun(g *command.Global) *cobra.Command {
	a := &actionsFlags{Global: g}
	cmd := &cobra.Command{
		Use:   "run APP OBJECT ACTION",
		Short: "Run an action on a live object",
		Long: "Run an action on a live object of an application, in the application's cluster. OBJECT is KIND/NAME; where\n" +
			"that is not enough, KIND.GROUP/NAMESPACE/NAME. The project must permit what the action changes and makes.",
		Example: "  causeway actions run shop Deployment/web restart\n  causeway actions run shop Deployment/web scale --param replicas=3 --dry-run",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 3 {
				return command.Usagef("name an application, one of its objects, and an action")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args) },
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().StringArrayVarP(&a.parameters, "param", "p", nil, "parameter of the action, as NAME=VALUE; can be repeated")
	cmd.Flags().BoolVar(&a.dryRun, "dry-run", false, "change nothing, only show what the API server would make of it")
	return cmd
}

func (a *actionsFlags) list(ctx context.Context, args []string) error {
	if err := table.CheckOutput(a.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML, table.AsName); err != nil {
		return err
	}
	h, inspector, application, err := a.open(ctx, args[0])
	if err != nil {
		return err
	}
	defer inspector.Close()
	objects, err := target.Objects(ctx, a.Global, inspector, application)
	if err != nil {
		return err
	}
	if args[1] != "" {
		one, err := target.Choose(objects, args[1])
		if err != nil {
			return err
		}
		objects = []target.LiveObject{one}
	}
	var all []available
	for _, o := range objects {
		found, err := inspector.Actions(ctx, application, o.Gvk(), o.Key)
		if err != nil {
			_, _ = fmt.Fprintf(a.Err, "warning: %s\n", screen.Words(h.Explain(err).Error()))
			continue
		}
		for _, f := range found {
			one := available{Group: o.Key.Group, Kind: o.Key.Kind, Namespace: o.Key.Namespace, Name: o.Key.Name, Action: f.Name, Title: f.DisplayName, Disabled: f.Disabled}
			for _, p := range f.Parameters {
				one.Parameters = append(one.Parameters, parameter(p))
			}
			all = append(all, one)
		}
	}
	return a.print(all)
}

func (a *actionsFlags) print(all []available) error {
	if a.output == table.AsJSON || a.output == table.AsYAML {
		if all == nil {
			all = []available{}
		}
		return table.PrintValue(a.Out, a.output, all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(a.Err, "no actions")
		return err
	}
	if a.output != table.AsName {
		return table.Print(a.Global, actionsTable(all), a.output)
	}
	for _, o := range all {
		if _, err := fmt.Fprintln(a.Out, screen.Line(table.Qualified(o.Kind, o.Group)+"/"+o.Name+" "+o.Action)); err != nil {
			return err
		}
	}
	return nil
}

func actionsTable(all []available) table.Table {
	t := table.Table{Keys: 4, Header: []string{"KIND", "NAMESPACE", "NAME", "ACTION", "STATE", "PARAMETERS"}}
	for _, o := range all {
		state := "enabled"
		if o.Disabled {
			state = "disabled"
		}
		t.Rows = append(t.Rows, []string{o.Kind, table.Dash(o.Namespace), o.Name, o.Action, state, o.parameters()})
	}
	return t
}

func (o available) parameters() string {
	var out []string
	for _, p := range o.Parameters {
		text := p.Name
		if p.Default != "" {
			text += "=" + p.Default
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func (a *actionsFlags) run(ctx context.Context, args []string) error {
	parameters := map[string]string{}
	for _, text := range a.parameters {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return command.Usagef("cannot understand --param %q: write NAME=VALUE, as in replicas=3", text)
		}
		parameters[name] = value
	}
	h, inspector, application, err := a.open(ctx, args[0])
	if err != nil {
		return err
	}
	defer inspector.Close()
	objects, err := target.Objects(ctx, a.Global, inspector, application)
	if err != nil {
		return err
	}
	o, err := target.Choose(objects, args[1])
	if err != nil {
		return err
	}
	done, err := inspector.Act(ctx, application, inspect.Act{Object: o.Key, Version: o.Version, Action: args[2], Parameters: parameters, DryRun: a.dryRun})
	if err != nil {
		return fmt.Errorf("cannot run action %s: %w", args[2], h.Explain(err))
	}
	return a.tell(done)
}

// said are the words for what became of an object.
var said = map[gitops.Verb]string{gitops.Create: "created", gitops.Update: "changed", gitops.Keep: "unchanged"}

func (a *actionsFlags) tell(done []inspect.Acted) error {
	style := a.Style(a.Out)
	for _, d := range done {
		name := gitops.NameIn(d.Key.Namespace, d.Key.Name)
		line := fmt.Sprintf("%s %s %s", table.Qualified(d.Key.Kind, d.Key.Group), name, said[d.Verb])
		if !a.dryRun {
			if _, err := fmt.Fprintln(a.Out, line); err != nil {
				return err
			}
			continue
		}
		text, err := d.Diff.Unified()
		if err != nil {
			return err
		}
		if _, err := fmt.Fprint(a.Out, differences.Painted(text, line+" (dry run)", style)); err != nil {
			return err
		}
	}
	if len(done) == 0 {
		_, err := fmt.Fprintln(a.Err, "the action changes nothing")
		return err
	}
	return nil
}
