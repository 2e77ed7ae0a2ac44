package fleet

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/fleet/reply"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/seat"
	"github.com/causeway-gitops/causeway/internal/slots"
)

// Bounds of Judge.
const (
	// spare is what objects may take that are read at a time without a turn, in
	// bytes: most pages do.
	spare = 4 << 20
	// turns is how many objects are read at a time that take more, of which one
	// project has one.
	turns = 3
	// perPage objects are asked for first: Pods of so many mostly fit into spare.
	perPage = 32
	// mostPages ends a list that has no end.
	mostPages = 10_000
	// turnTime is how long a turn lasts at most: a cluster that sends a large object
	// slowly keeps those of others waiting so long.
	turnTime = 2 * time.Minute
)

func newTurns() *slots.Slots { return slots.Shares(turns, 1) }

// Judge hands whole objects of a kind to take, which keeps nothing of them: the one
// of a name, or all in the namespace, or everywhere, when that is empty. They are
// read a few at a time, in as little memory as will do. A single one that takes more
// waits for a turn of the project.
func (c *Cluster) Judge(ctx context.Context, project string, gvk schema.GroupVersionKind, namespace, name string, take func(*unstructured.Unstructured)) error {
	m, err := c.Mapping(ctx, gvk)
	if err != nil {
		return err
	}
	from, what := c.resource(m, namespace), m.Resource.GroupResource().String()
	if name != "" {
		err = c.sparing(ctx, project, true, func(ctx context.Context) error {
			o, err := from.Get(ctx, name, metav1.GetOptions{})
			if err == nil {
				take(o)
			}
			return err
		})
		if apierrors.IsNotFound(err) {
			return gitops.Problemf(gitops.NotFound, "cluster %s has no %s %s/%s", c.Desc().Name, gvk.Kind, namespace, name)
		}
		return c.problem("get "+what, err)
	}
	pages := 0
	err = reply.Pages(ctx, perPage, func(ctx context.Context, o metav1.ListOptions) (page *unstructured.UnstructuredList, err error) {
		if pages++; pages > mostPages {
			return nil, gitops.Problemf(gitops.Invalid, "a list of %s has no end", what).Do("name what is depended on")
		}
		return page, c.sparing(ctx, project, o.Limit == 1, func(ctx context.Context) error {
			if page, err = from.List(ctx, o); err != nil {
				return err
			}
			for i := range page.Items {
				take(&page.Items[i])
			}
			page.Items = nil
			return nil
		})
	}, func(*unstructured.UnstructuredList) {})
	var endless *gitops.Problem
	if errors.As(err, &endless) && endless.Kind == gitops.Invalid {
		return endless
	}
	return c.problem("list "+what, err)
}

// sparing reads in little memory. What takes more is read in a turn where it is one
// object; of more, fewer are to be asked for. Who waits for a turn gives up the worker
// until the turn is over, where there is a place to wait without one.
func (c *Cluster) sparing(ctx context.Context, project string, single bool, read func(context.Context) error) error {
	err := read(reply.Within(ctx, spare, spare))
	var large *reply.TooLarge
	if !errors.As(err, &large) || !large.All {
		return err
	}
	if !single {
		page := *large
		page.All = false
		return &page
	}
	_, err = seat.Away(ctx, "", func(ctx context.Context) (struct{}, error) {
		project, err := c.turns.Take(ctx, slots.Of(project))
		if err != nil {
			return struct{}{}, err
		}
		defer c.turns.Give(project)
		ctx, cancel := context.WithTimeout(ctx, c.turnTime)
		defer cancel()
		return struct{}{}, read(ctx)
	})
	return err
}
