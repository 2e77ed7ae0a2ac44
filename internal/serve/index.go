package serve

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/operation"
	"github.com/causeway-gitops/causeway/internal/server/marks"
	"github.com/causeway-gitops/causeway/internal/server/view"
)

// index keeps the rows of the API's lists as the hub's watch tells.
type index struct {
	rows   *view.Index
	marks  *marks.Marks
	hub    client.Client
	leads  func(ctx context.Context, app *v1alpha1.Application) (cluster string, permitted bool)
	reads  func(ctx context.Context, app *v1alpha1.Application) bool
	covers func(namespace string) bool
	seal   *operation.Seal
	turn   sync.Mutex // of those who read the cache and write a row
	// named has a token when clusters may have other names than rows say, or
	// projects permit others.
	named chan struct{}
}

func newIndex(o *Options) *index {
	i := &index{rows: view.NewIndex(time.Now()), marks: marks.New(time.Now), hub: o.Client, leads: o.Leads, reads: o.Reads, covers: o.Covers, seal: o.Seal, named: make(chan struct{}, 1)}
	o.Described(func(string) { i.rename() })
	return i
}

// rename has the clusters of all rows looked at again.
func (i *index) rename() {
	select {
	case i.named <- struct{}{}:
	default: // somebody has said so already
	}
}

// namedEvery is how often all rows are looked at for other names of clusters:
// thousands may be described at once.
const namedEvery = time.Second

// keepNames gives rows the names of their clusters until ctx ends.
func (i *index) keepNames(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-i.named:
		}
		i.renamed(ctx)
		select {
		case <-ctx.Done():
			return
		case <-time.After(namedEvery):
		}
	}
}

// follow begins to take changes; they come until ctx ends.
func (i *index) follow(ctx context.Context, c cache.Informers) error {
	informer, err := c.GetInformer(ctx, &v1alpha1.Application{})
	if err != nil {
		return fmt.Errorf("cannot follow applications: %w", err)
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { i.changed(ctx, o) },
		UpdateFunc: func(_, now any) { i.changed(ctx, now) },
		DeleteFunc: func(o any) { i.changed(ctx, o) },
	})
	return err
}

// changed takes what the watch tells of.
func (i *index) changed(ctx context.Context, o any) {
	if last, ok := o.(toolscache.DeletedFinalStateUnknown); ok {
		o = last.Obj
	}
	if app, ok := o.(*v1alpha1.Application); ok && i.covers(app.Namespace) {
		i.read(ctx, client.ObjectKeyFromObject(app))
	}
}

// read takes an Application as the cache has it. Rights are told by rows: in
// turns, so that an older state never takes the place of a newer one.
func (i *index) read(ctx context.Context, key client.ObjectKey) {
	i.turn.Lock()
	defer i.turn.Unlock()
	app := &v1alpha1.Application{}
	err := i.hub.Get(ctx, key, app, client.UnsafeDisableDeepCopy)
	switch {
	case err == nil:
		row := i.rowOf(ctx, app)
		row.By, row.Barred = i.seal.Deployer(app), !i.reads(ctx, app)
		i.rows.Put(row)
		i.marks.See(app, i.seal.Asker(app))
	case apierrors.IsNotFound(err):
		i.rows.Drop(view.Key(key))
		i.marks.Gone(view.Key(key))
	}
}

// rowOf is the row of an Application. Of the cluster that its destination leads to
// it tells where the project permits that, and else what the Application says.
func (i *index) rowOf(ctx context.Context, app *v1alpha1.Application) *view.Row {
	if cluster, permitted := i.leads(ctx, app); permitted {
		return view.RowOf(app, cluster)
	}
	row := view.RowOf(app, cmp.Or(app.Spec.Destination.Name, app.Spec.Destination.Server))
	row.Nowhere = true
	return row
}

// renamed looks at all rows again: a cluster has another name, or is known or
// permitted now.
func (i *index) renamed(ctx context.Context) {
	var list v1alpha1.ApplicationList
	if i.hub.List(ctx, &list, client.UnsafeDisableDeepCopy) != nil {
		return // the cache has not started: each application comes by its watch
	}
	for j := range list.Items {
		i.changed(ctx, &list.Items[j])
	}
}
