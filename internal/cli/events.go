package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

type eventsFlags struct {
	*global

	output string
}

func newEvents(g *global) *cobra.Command {
	e := &eventsFlags{global: g, output: asTable}
	cmd := &cobra.Command{
		Use:   "events APP [OBJECT]",
		Short: "List the events of an application, or of one of its live objects",
		Long: "List the events that Kubernetes keeps of an application, or of one of its live objects, the latest first.\n" +
			"OBJECT is KIND/NAME; where that is not enough, KIND.GROUP/NAMESPACE/NAME. Clusters keep events for about an hour.",
		Example: "  causeway events shop\n  causeway events shop Deployment/web",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return usagef("name an application, and an object if its events are asked for")
			}
			return nil
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return e.run(cmd.Context(), append(args, "")[:2]) },
		ValidArgsFunction: g.completeApp,
	}
	cmd.Flags().StringVarP(&e.output, "output", "o", e.output, "how to print: table, wide, json, yaml")
	return cmd
}

func (e *eventsFlags) run(ctx context.Context, args []string) error {
	if err := checkOutput(e.output, asTable, asWide, asJSON, asYAML); err != nil {
		return err
	}
	h, err := e.reach()
	if err != nil {
		return err
	}
	application, err := h.application(ctx, args[0])
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
	found, err := from.Events(ctx, application, o.gvk(), o.key)
	if err != nil {
		return h.explain(err)
	}
	return e.print(found)
}

// eventful knows the events of live objects.
type eventful interface {
	trees
	Events(ctx context.Context, a *v1alpha1.Application, gvk schema.GroupVersionKind, k gitops.Key) ([]api.Event, error)
	Close()
}

func (e *eventsFlags) open(ctx context.Context, h *hub) (eventful, error) {
	if h.server != nil {
		return servedEvents{servedLook{h.server}}, nil
	}
	return e.inspect(ctx, h, nil)
}

// about is the live object that an argument names; none for the application itself.
func (e *eventsFlags) about(ctx context.Context, from trees, application *v1alpha1.Application, text string) (liveObject, error) {
	if text == "" {
		return liveObject{}, nil
	}
	objects, err := e.objects(ctx, from, application)
	if err != nil {
		return liveObject{}, err
	}
	return choose(objects, text)
}

func (e *eventsFlags) print(all []api.Event) error {
	if !tabular(e.output) {
		return printValue(e.Out, e.output, all)
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(e.Err, "no events: clusters keep them for about an hour")
		return err
	}
	return e.printTable(eventsTable(all, time.Now()), e.output)
}

// eventsTable cuts no message: it is what is looked for.
func eventsTable(all []api.Event, now time.Time) table {
	t := table{keys: 3, whole: true, header: []string{"LAST", "TYPE", "REASON", "TIMES", "MESSAGE"}}
	for i := range all {
		e := &all[i]
		t.rows = append(t.rows, []string{age(e.Last, now), e.Type, e.Reason, strconv.Itoa(int(e.Count)), screen.Words(e.Message)})
	}
	return t
}

// servedEvents knows events by way of a server.
type servedEvents struct{ servedLook }

// Events implements eventful.
func (s servedEvents) Events(ctx context.Context, a *v1alpha1.Application, gvk schema.GroupVersionKind, k gitops.Key) ([]api.Event, error) {
	return s.server.Events(ctx, keyOf(a), api.Ref{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind, Namespace: k.Namespace, Name: k.Name})
}
