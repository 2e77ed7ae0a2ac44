package applicationset

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// inFlight bounds the writes of one set; the API server's priority and
// fairness does the rest.
const inFlight = 16

// outcome is what became of the changes of a set.
type outcome struct {
	mu sync.Mutex
	// failed has what may succeed at the next try.
	failed []error
	// taken has why Applications of others are left to them, by their names.
	taken map[string]error
	// unsure tells that an Application may not be what the set makes of it; missed, that
	// others changed one meanwhile; late, that one was left as others have made it since.
	unsure, missed, late bool
}

func (o *outcome) note(err error) {
	var t *takenError
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err == nil:
	case errors.As(err, &t):
		o.taken[t.name] = err
	case apierrors.IsConflict(err):
		o.late = true
	default:
		o.failed = append(o.failed, err)
	}
}

func (o *outcome) wrote(unsure, missed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unsure, o.missed = o.unsure || unsure, o.missed || missed
}

// refusals tell of the Applications that are left to others.
func (o *outcome) refusals() []error { return slices.Collect(maps.Values(o.taken)) }

// apply writes the changes side by side and returns the Applications that
// exist afterwards. One failure does not hold up the others.
func (r *Reconciler) apply(ctx context.Context, set *v1alpha1.ApplicationSet, owned []v1alpha1.Application, c *generate.Changes) ([]v1alpha1.Application, *outcome) {
	exist := gitops.ByName(owned)
	var g crew.Group
	g.SetLimit(inFlight)
	out := &outcome{taken: map[string]error{}}
	do := func(write func() error) {
		g.Go(func() error {
			out.note(crew.Safely(write))
			return nil
		})
	}
	for i := range c.Create {
		do(func() error { return r.create(ctx, set, &c.Create[i]) })
	}
	for i := range c.Update {
		from := exist[c.Update[i].Name]
		do(func() error { return r.update(ctx, set, from, &c.Update[i], out) })
	}
	for i := range c.Delete {
		if c.Delete[i].DeletionTimestamp.IsZero() {
			do(func() error { return r.remove(ctx, &c.Delete[i]) })
		}
	}
	_ = g.Wait() // each error is noted
	c.Create = slices.DeleteFunc(c.Create, func(a v1alpha1.Application) bool { return out.taken[a.Name] != nil })
	r.logChanges(ctx, set, c)
	return after(exist, c), out
}

func after(exist map[string]*v1alpha1.Application, c *generate.Changes) []v1alpha1.Application {
	for i := range c.Create {
		exist[c.Create[i].Name] = &c.Create[i]
	}
	for i := range c.Delete {
		delete(exist, c.Delete[i].Name)
	}
	all := make([]v1alpha1.Application, 0, len(exist))
	for _, app := range exist {
		all = append(all, *app)
	}
	return all
}

// remove deletes the Application as it was judged: no other of its name, and none
// that others have changed since, who may have made it their own.
func (r *Reconciler) remove(ctx context.Context, app *v1alpha1.Application) error {
	if err := client.IgnoreNotFound(r.Client.Delete(ctx, app.DeepCopy(), client.Preconditions{UID: &app.UID, ResourceVersion: &app.ResourceVersion})); err != nil {
		return &unwritten{"delete", app.Name, true, err}
	}
	return nil
}

func (r *Reconciler) create(ctx context.Context, set *v1alpha1.ApplicationSet, app *v1alpha1.Application) error {
	if err := controllerutil.SetControllerReference(set, app, r.Client.Scheme()); err != nil {
		return &unwritten{"own", app.Name, false, err}
	}
	err := r.Client.Create(ctx, app)
	if apierrors.IsAlreadyExists(err) {
		return r.adopt(ctx, set, app)
	}
	if err != nil {
		return &unwritten{"create", app.Name, false, err}
	}
	return nil
}

// update writes an Application that is as it was judged. Its event has the set expanded again where the API server
// made something else of it.
func (r *Reconciler) update(ctx context.Context, set *v1alpha1.ApplicationSet, from, to *v1alpha1.Application, out *outcome) error {
	if err := staysIn(from, to); err != nil {
		return err
	}
	name, version := client.ObjectKeyFromObject(to), ""
	r.Readers.echoes.begin(name)
	defer func() { out.wrote(version == "", r.Readers.echoes.end(name, version)) }()
	data, err := asJudged(from, to)
	if err != nil {
		return &unwritten{"update", to.Name, true, err}
	}
	// What comes back is read into nothing else: what is left out there is left out.
	written := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: to.Namespace, Name: to.Name}}
	if err := r.Client.Patch(ctx, written, client.RawPatch(types.MergePatchType, data)); err != nil {
		return &unwritten{"update", to.Name, true, err}
	}
	if _, differs, err := generate.Merge(ctx, written, to, set); err == nil && !differs {
		version = written.ResourceVersion
	}
	return nil
}

// asJudged is the patch that makes one of the other, and is refused for any other
// object and for one that has changed since.
func asJudged(from, to *v1alpha1.Application) ([]byte, error) {
	base, next := *from, *to
	base.UID = "" // so that the patch has it
	next.UID, next.ResourceVersion = from.UID, from.ResourceVersion
	return client.MergeFromWithOptions(&base, client.MergeFromWithOptimisticLock{}).Data(&next)
}

func (r *Reconciler) logChanges(ctx context.Context, set *v1alpha1.ApplicationSet, c *generate.Changes) {
	if len(c.Create)+len(c.Update)+len(c.Delete) == 0 {
		return
	}
	r.Log.InfoContext(ctx, "applications written", "applicationset", set.Name,
		"created", len(c.Create), "updated", len(c.Update), "deleted", len(c.Delete))
}
