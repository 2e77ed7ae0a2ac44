package get

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

type eventsFlags struct {
	*command.Global

	output string
}

// NewEvents returns the command events.
func NewEvents(g *command.Global) *cobra.Command {
	e := &eventsFlags{Global: g, output: table.AsTable}
	cmd := &cobra.Command{
		Use:   "events APP [OBJECT]",
		Short: "List the events of an application, or of one of its live objects",
		Long: "List the events that Kubernetes keeps of an application, or of one of its live objects, the latest first.\n" +
			"OBJECT is KIND/NAME; where that is not enough, KIND.GROUP/NAMESPACE/NAME. Clusters keep events for about an hour.",
		Example: "  causeway events shop\n  causeway events shop Deployment/web",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return command.Usagef("name an application, and an object if its events are asked for")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context(), append(args, "")[:2]) },
		ValidArgsFunction: target.CompleteApps(g),
	}
	cmd.Flags().StringVarP(&e.output, "output", "o", e.output, "how to print: table, wide, json, yaml")
	return cmd
}

func (e *eventsFlags) run(ctx context.Context, args []string) error {
	if err := table.CheckOutput(e.output, table.AsTable, table.AsWide, table.AsJSON, table.AsYAML); err != nil {
		return err
	}
	h, err := target.Reach(e.Global)
	if err != nil {
		return err
	}
	application, err := h.Application(ctx, args[0])
	if err != nil {
		return err
	}
	from, err := e.open(ctx, h)
	if err != nil {
		return err
	}
	defer from.Close()
	o, err := e.about(ctx, from, application, args[1])
	if err != nil {
		return err
	}
	found, err := from.Events(ctx, application, o.Gvk(), o.Key)
	if err != nil {
		return h.Explain(err)
	}
	return e.print(found)
}

// eventful knows the events of live objects.
type eventful interface {
	target.Trees
	Events(ctx context.Context, a *v1alpha1.Application, gvk schema.GroupVersionKind, k gitops.Key) ([]api.Event, error)
	Close()
}

func (e *eventsFlags) open(ctx context.Context, h *target.Hub) (eventful, error) {
	if h.Server != nil {
		return servedEvents{target.ServedLook{Server: h.Server}}, nil
	}
	return target.Inspect(ctx, e.Global, h, nil)
}

// about is the live object that an argument names; none for the application itself.
func (e *eventsFlags) about(ctx context.Context, from target.Trees, application *v1alpha1.Application, text string) (target.LiveObject, error) {
	if text == "" {
		return target.LiveObject{}, nil
	}
	objects, err := target.Objects(ctx, e.Global, from, application)
	if err != nil {
		return target.LiveObject{}, err
	}
	return target.Choose(objects, text)
}

func (e *eventsFlags) print(all []api.Event) error {
	if !table.Tabular(e.output) {
		return table.PrintValue(e.Out, e.output, all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(e.Err, "no events: clusters keep them for about an hour")
		return err
	}
	return table.Print(e.Global, eventsTable(all, time.Now()), e.output)
}

// eventsTable cuts no message: it is what is looked for.
func eventsTable(all []api.Event, now time.Time) table.Table {
	t := table.Table{Keys: 3, Whole: true, Header: []string{"LAST", "TYPE", "REASON", "TIMES", "MESSAGE"}}
	for i := range all {
		e := &all[i]
		t.Rows = append(t.Rows, []string{table.Age(e.Last, now), e.Type, e.Reason, strconv.Itoa(int(e.Count)), screen.Words(e.Message)})
	}
	return t
}

// servedEvents knows events by way of a server.
type servedEvents struct{ target.ServedLook }

// Events implements eventful.
func (s servedEvents) Events(ctx context.Context, a *v1alpha1.Application, gvk schema.GroupVersionKind, k gitops.Key) ([]api.Event, error) {
	return s.Server.Events(ctx, target.KeyOf(a), api.Ref{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: k.Namespace, Name: k.Name})
}
