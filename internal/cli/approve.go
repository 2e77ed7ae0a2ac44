package cli

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/app"
	serverclient "github.com/causeway-gitops/causeway/internal/client"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/policy/approval"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/screen"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

type approveFlags struct {
	*global

	yes    bool
	lasts  time.Duration
	digest string
}

// approvalTime is how long an approval holds that says nothing else.
const approvalTime = time.Hour

func newApprove(g *global) *cobra.Command {
	a := &approveFlags{global: g}
	cmd := &cobra.Command{
		Use:   "approve APP|set/SET|cluster/CLUSTER",
		Short: "Approve a mass deletion that is held",
		Long: "Show the objects of an application, or the applications of an application set or of a cluster that is to go, whose\n" +
			"deletion is held because they are many, and approve exactly this list. An approval is used up once, holds for no\n" +
			"other list, and expires.",
		Example: "  causeway approve shop\n  causeway approve set/addons --for 10m\n  causeway approve cluster/dev\n" +
			"  causeway approve shop --yes --digest 3f1c9a…   # only if this is still the list",
		Args:              one("the application, set/NAME or cluster/NAME"),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.run(cmd.Context(), args[0]) },
		ValidArgsFunction: g.completeApp,
	}
	cmd.Flags().BoolVarP(&a.yes, "yes", "y", false, "do not ask")
	cmd.Flags().DurationVar(&a.lasts, "for", approvalTime, "how long the approval holds")
	cmd.Flags().StringVar(&a.digest, "digest", "", "approve only if the list is the one with this digest")
	return cmd
}

func (a *approveFlags) run(ctx context.Context, name string) error {
	if a.lasts <= 0 {
		return usagef("an approval has to hold for some time: --for %s", a.lasts)
	}
	h, err := a.reach()
	if err != nil {
		return err
	}
	object, names, err := h.heldOf(ctx, name)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("no deletion of %s is held", name)
	}
	digest := guard.Digest(names)
	for _, n := range names {
		_, _ = fmt.Fprintln(a.Out, screen.Line(readable(n)))
	}
	_, _ = fmt.Fprintf(a.Out, "%s, digest %s\n", gitops.Count(len(names), "deletion"), digest)
	if a.digest != "" && a.digest != digest {
		return fmt.Errorf("the list has changed: it is not the one with digest %s", a.digest)
	}
	if err := a.ask(ctx, a.yes, "Delete these", "--yes --digest "+digest); err != nil {
		return err
	}
	until := time.Now().Add(a.lasts)
	if err := a.approve(ctx, h, object, digest, until); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%s: approved until %s%s\n", name, until.UTC().Format(time.RFC3339), a.next(object))
	return err
}

func (a *approveFlags) approve(ctx context.Context, h *hub, o client.Object, digest string, until time.Time) error {
	if h.server != nil {
		return h.explain(a.approveServed(ctx, h, o, digest))
	}
	before, ok := o.DeepCopyObject().(client.Object)
	if !ok {
		return fmt.Errorf("cannot copy a %T", o)
	}
	approval.Give(o, guard.Approval{Digest: digest, Until: until, By: h.identity(ctx)})
	return h.patch(ctx, before, o)
}

// approveServed asks a server, which counts in minutes.
func (a *approveFlags) approveServed(ctx context.Context, h *hub, o client.Object, digest string) error {
	want := &api.Approval{Digest: digest, Minutes: int(math.Ceil(a.lasts.Minutes()))}
	switch o := o.(type) {
	case *v1alpha1.Application:
		return h.server.Approve(ctx, keyOf(o), want)
	case *v1alpha1.ApplicationSet:
		return h.server.ApproveSet(ctx, serverclient.Key{Namespace: o.Namespace, Name: o.Name}, want)
	}
	return errServed("an approval for anything else")
}

// next tells what is left to do where the approval alone starts nothing.
func (a *approveFlags) next(object client.Object) string {
	app, ok := object.(*v1alpha1.Application)
	if !ok || !app.Status.OperationState.Ended() {
		return ""
	}
	return "; now sync again: causeway sync " + app.Name + " --prune"
}

// readable is the name of an object, which digests are made of, as other
// commands write it: apps/Deployment:shop/web as Deployment.apps shop/web.
func readable(name string) string {
	group, rest, ok := strings.Cut(name, "/")
	kind, object, named := strings.Cut(rest, ":")
	if !ok || !named {
		return name
	}
	return qualified(kind, group) + " " + strings.TrimPrefix(object, "/")
}

// heldOf reads an Application, ApplicationSet or Cluster with what is held of it, sorted.
func (h *hub) heldOf(ctx context.Context, name string) (client.Object, []string, error) {
	of, rest, ok := strings.Cut(name, "/")
	if ok && slices.Contains([]string{"set", "appset", "applicationset"}, of) {
		return h.heldOfSet(ctx, rest)
	}
	if ok && of == "cluster" {
		return h.heldOfCluster(ctx, rest)
	}
	app, err := h.application(ctx, strings.TrimPrefix(strings.TrimPrefix(name, "app/"), "application/"))
	if err != nil {
		return nil, nil, err
	}
	return app, approval.NamesOf(approval.Held(app)), nil
}

func (h *hub) heldOfSet(ctx context.Context, name string) (client.Object, []string, error) {
	set, err := h.applicationSet(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	return set, approval.HeldOfSet(set), nil
}

// heldOfCluster reads a Cluster that is to go, and the Applications that would
// go with it.
func (h *hub) heldOfCluster(ctx context.Context, name string) (client.Object, []string, error) {
	if h.server != nil {
		return nil, nil, errServed("an approval for a Cluster")
	}
	c := &causeway.Cluster{}
	err := h.client.Get(ctx, client.ObjectKey{Namespace: h.namespace, Name: name}, c)
	if apierrors.IsNotFound(err) {
		return nil, nil, fmt.Errorf("no object of the kind Cluster is called %q in namespace %s", name, h.namespace)
	}
	if err != nil {
		return nil, nil, h.explain(err)
	}
	held := meta.FindStatusCondition(c.Status.Conditions, causeway.ConditionDeletable)
	if held == nil || held.Reason != app.ReasonHeld {
		return c, nil, nil
	}
	all := &v1alpha1.ApplicationList{}
	if err := h.client.List(ctx, all); err != nil {
		return nil, nil, h.explain(err)
	}
	names := app.GoWith(c, all.Items)
	if !strings.Contains(held.Message, guard.Digest(names)) {
		if names, err = h.permittedOf(ctx, c, all.Items); err != nil {
			return nil, nil, err
		}
	}
	if !strings.Contains(held.Message, guard.Digest(names)) {
		return nil, nil, fmt.Errorf("the Applications that can be read from here are not the list that the engine holds; approve that one by the annotation: %s", held.Message)
	}
	return c, names, nil
}

// permittedOf is app.GoWith without the Applications that only name the cluster, as
// their projects do not permit it.
func (h *hub) permittedOf(ctx context.Context, c *causeway.Cluster, all []v1alpha1.Application) ([]string, error) {
	inspector, err := inspect.Open(ctx, h.looking(nil, slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, h.explain(err)
	}
	defer inspector.Close()
	permitted, err := inspector.Permitted(ctx, all)
	if err != nil {
		return nil, h.explain(err)
	}
	return app.GoWith(c, permitted), nil
}
