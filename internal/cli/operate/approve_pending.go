package operate

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
	"github.com/causeway-gitops/causeway/internal/policy/approval"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
	"github.com/causeway-gitops/causeway/internal/screen"
)

// pending is what of an Application, ApplicationSet or Cluster is not deleted
// before it is approved: the names that the guard holds, and of the objects
// that ask themselves, each sorted as its digest wants.
type pending struct {
	object       client.Object
	held, asking []string
}

// pendingOf reads what a name of the command line means, and what is pending of it.
func pendingOf(ctx context.Context, h *target.Hub, name string) (*pending, error) {
	of, rest, ok := strings.Cut(name, "/")
	if ok && slices.Contains([]string{"set", "appset", "applicationset"}, of) {
		set, err := h.ApplicationSet(ctx, rest)
		if err != nil {
			return nil, err
		}
		return &pending{object: set, held: approval.HeldOfSet(set)}, nil
	}
	if ok && of == "cluster" {
		c, held, err := heldOfCluster(ctx, h, rest)
		return &pending{object: c, held: held}, err
	}
	if ok && (of == "app" || of == "application") {
		name = rest
	}
	app, err := h.Application(ctx, name)
	if err != nil {
		return nil, err
	}
	return pendingOfApp(app), nil
}

func pendingOfApp(app *v1alpha1.Application) *pending {
	return &pending{object: app, held: approval.NamesOf(approval.Held(app)), asking: approval.NamesOf(approval.Unconfirmed(app))}
}

// digests are those of what is held and of what asks. They tell the two apart, as
// both lists may have the same names, at different times.
func (p *pending) digests() (held, asking string) {
	return guard.Digest(p.held), "confirm:" + guard.Digest(p.asking)
}

// lines are the names of what is pending, and below each list what it is and its digest.
func (p *pending) lines() []string {
	var lines []string
	list := func(names []string, why, digest string) {
		for _, n := range names {
			lines = append(lines, screen.Line(readable(n)))
		}
		if len(names) > 0 {
			lines = append(lines, gitops.Count(len(names), "deletion")+why+", digest "+digest)
		}
	}
	held, asking := p.digests()
	list(p.held, "", held)
	list(p.asking, " to confirm", asking)
	return lines
}

// only leaves out the list that has another digest; an empty one is of both.
func (p *pending) only(digest string) error {
	held, asking := p.digests()
	switch {
	case digest == "":
	case len(p.held) > 0 && digest == held:
		p.asking = nil
	case len(p.asking) > 0 && digest == asking:
		p.held = nil
	case len(p.asking) > 0 && "confirm:"+digest == asking:
		return fmt.Errorf("the digest of what asks begins with confirm: write --digest %s", asking)
	default:
		return fmt.Errorf("the list has changed: it is not the one with digest %s", digest)
	}
	return nil
}

// instead is what approves exactly this where nobody can be asked: of two
// lists, one after the other.
func (p *pending) instead() string {
	held, asking := p.digests()
	if len(p.held) > 0 {
		return "--yes --digest " + held
	}
	return "--yes --digest " + asking
}

// readable is the name of an object, which digests are made of, as other
// commands write it: apps/Deployment:shop/web as Deployment.apps shop/web.
func readable(name string) string {
	group, rest, ok := strings.Cut(name, "/")
	kind, object, named := strings.Cut(rest, ":")
	if !ok || !named {
		return name
	}
	return table.Qualified(kind, group) + " " + strings.TrimPrefix(object, "/")
}

// heldOfCluster reads a Cluster that is to go, and the Applications that would
// go with it.
func heldOfCluster(ctx context.Context, h *target.Hub, name string) (client.Object, []string, error) {
	if h.Server != nil {
		return nil, nil, target.ErrServed("an approval for a Cluster")
	}
	c := &causeway.Cluster{}
	err := h.Client.Get(ctx, client.ObjectKey{Namespace: h.Namespace, Name: name}, c)
	if apierrors.IsNotFound(err) {
		return nil, nil, fmt.Errorf("no object of the kind Cluster is called %q in namespace %s", name, h.Namespace)
	}
	if err != nil {
		return nil, nil, h.Explain(err)
	}
	held := meta.FindStatusCondition(c.Status.Conditions, causeway.ConditionDeletable)
	if held == nil || held.Reason != inspect.ReasonHeld {
		return c, nil, nil
	}
	all := &v1alpha1.ApplicationList{}
	if err := h.Client.List(ctx, all); err != nil {
		return nil, nil, h.Explain(err)
	}
	names := inspect.GoWith(c, all.Items)
	if !strings.Contains(held.Message, guard.Digest(names)) {
		if names, err = permittedOf(ctx, h, c, all.Items); err != nil {
			return nil, nil, err
		}
	}
	if !strings.Contains(held.Message, guard.Digest(names)) {
		return nil, nil, fmt.Errorf("the Applications that can be read from here are not the list that the engine holds; approve that one by the annotation: %s", held.Message)
	}
	return c, names, nil
}

// permittedOf is inspect.GoWith without the Applications that only name the cluster, as
// their projects do not permit it.
func permittedOf(ctx context.Context, h *target.Hub, c *causeway.Cluster, all []v1alpha1.Application) ([]string, error) {
	inspector, err := inspect.Open(ctx, h.Looking(nil, slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, h.Explain(err)
	}
	defer inspector.Close()
	permitted, err := inspector.Permitted(ctx, all)
	if err != nil {
		return nil, h.Explain(err)
	}
	return inspect.GoWith(c, permitted), nil
}
