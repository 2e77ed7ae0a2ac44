package declaredcluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/policy/guard"
)

// dismantle lets the Applications go, then the cluster, then its Secret.
func (r *Reconciler) dismantle(ctx context.Context, out *outcome) error {
	c := out.cluster
	if c.Spec.DeletionPolicy == causeway.DeletionOrphan {
		return r.orphan(ctx, out)
	}
	driver := r.Drivers[cmp.Or(c.Status.Driver, Name(c.Spec))]
	if driver == nil {
		return out.gone(r.release(ctx, c)) // nothing was ever made
	}
	left, err := r.drain(ctx, c)
	if err != nil {
		return err
	}
	if left.any() {
		// Applications can leave a cluster only while it runs.
		_, down := driver.Make(ctx, c)
		out.draining(left, down)
		return nil
	}
	if err := driver.Remove(ctx, c); err != nil {
		return out.deleting(err)
	}
	if err := r.remove(ctx, c); err != nil {
		return err
	}
	return out.gone(r.release(ctx, c))
}

// orphan leaves the cluster, its Secret and its Applications as they are.
func (r *Reconciler) orphan(ctx context.Context, out *outcome) error {
	if err := r.part(ctx, out.cluster); err != nil {
		return err
	}
	return out.gone(r.release(ctx, out.cluster))
}

// remainder is what keeps a cluster from going.
type remainder struct {
	// news tells that ApplicationSets have just been told: they need a moment.
	news bool
	apps []string
	// held says which deletions wait for an approval, and why.
	held string
}

func (l remainder) any() bool { return l.news || len(l.apps) > 0 }

// drain asks the Applications on a cluster to leave, and tells which are left.
// Those of an ApplicationSet go because the set does not see the cluster any
// more; those that Git declares one by one must go there; all others are
// deleted here.
//
// Without a cluster Secret of its own nothing was ever deployed to it: what
// has its name belongs to another cluster.
func (r *Reconciler) drain(ctx context.Context, c *causeway.Cluster) (remainder, error) {
	if secret, err := r.secret(ctx, c); err != nil || secret == nil {
		return remainder{}, err
	}
	news, err := r.mark(ctx, c)
	if err != nil {
		return remainder{}, err
	}
	all := &v1alpha1.ApplicationList{}
	if err := r.Client.List(ctx, all); err != nil {
		return remainder{}, fmt.Errorf("cannot list the applications on cluster %s: %w", c.Name, err)
	}
	there, err := r.there(ctx, c, all.Items)
	if err != nil {
		return remainder{}, err
	}
	left := remainder{news: news}
	for i := range there {
		left.apps = append(left.apps, client.ObjectKeyFromObject(&there[i]).String()+" ("+why(&there[i])+")")
	}
	own := Own(c, there)
	list := ListOf(own)
	fleet := slices.DeleteFunc(all.Items, func(app v1alpha1.Application) bool { return !r.covers(&app) })
	if left.held = r.held(c, list, len(fleet)); left.held != "" {
		return left, nil
	}
	for _, app := range own {
		if err := client.IgnoreNotFound(r.Client.Delete(ctx, app, asSeen(app))); err != nil {
			return left, fmt.Errorf("cannot delete application %s: %w", app.Name, err)
		}
	}
	return left, nil
}

// there are the Applications on a cluster that their projects permit there, and
// that are of a namespace which an engine looks at: others are another engine's.
func (r *Reconciler) there(ctx context.Context, c *causeway.Cluster, all []v1alpha1.Application) ([]v1alpha1.Application, error) {
	var out []v1alpha1.Application
	for i := range all {
		if !on(c, &all[i]) || !r.covers(&all[i]) {
			continue
		}
		permitted := true
		if r.Permits != nil {
			var err error
			if permitted, err = r.Permits(ctx, &all[i]); err != nil {
				return nil, fmt.Errorf("cannot tell whether application %s is on cluster %s: %w", all[i].Name, c.Name, err)
			}
		}
		if permitted {
			out = append(out, all[i])
		}
	}
	return out, nil
}

func (r *Reconciler) covers(app *v1alpha1.Application) bool {
	return r.Covers == nil || r.Covers(app.Namespace)
}

// Own are the Applications on a cluster that go with it, because nobody else
// makes them, without those that go already.
func Own(c *causeway.Cluster, all []v1alpha1.Application) []*v1alpha1.Application {
	var out []*v1alpha1.Application
	for i := range all {
		if app := &all[i]; on(c, app) && app.DeletionTimestamp.IsZero() && maker(app) == "" {
			out = append(out, app)
		}
	}
	return out
}

// ListOf is the list of Applications that an approval is for. Teams have some of the
// same name.
func ListOf(apps []*v1alpha1.Application) guard.List {
	list := make(guard.List, 0, len(apps))
	for _, app := range apps {
		list = append(list, guard.Deletion{Name: client.ObjectKeyFromObject(app).String(), Weight: 1})
	}
	return list
}

// asSeen deletes an Application only as it was judged: it may have been moved
// to another cluster since.
func asSeen(app *v1alpha1.Application) client.DeleteOption {
	return client.Preconditions{UID: &app.UID, ResourceVersion: &app.ResourceVersion}
}

// on reports whether an Application goes to a cluster.
func on(c *causeway.Cluster, app *v1alpha1.Application) bool {
	dest := app.Spec.Destination
	if dest.Name != "" {
		return dest.Name == c.Name
	}
	return c.Status.Server != "" && dest.Server != "" && gitops.SameServer(dest.Server, c.Status.Server)
}

// maker is who else makes an Application, and would make it again. The mark of another one,
// as a copy has it, says nothing of this one: nobody would take it from the cluster.
func maker(app *v1alpha1.Application) string {
	for _, o := range app.OwnerReferences {
		if o.Kind == v1alpha1.ApplicationSetKind {
			return "ApplicationSet " + o.Name
		}
	}
	own := gitops.Key{Group: v1alpha1.Group, Kind: v1alpha1.ApplicationKind, Namespace: app.Namespace, Name: app.Name}
	if parent, ok := gitops.TrackedBy(app.Annotations[gitops.AnnotationTracking], own); ok {
		return "Application " + parent
	}
	return ""
}

func why(app *v1alpha1.Application) string {
	if !app.DeletionTimestamp.IsZero() {
		return "being deleted"
	}
	if m := maker(app); m != "" {
		return "of " + m
	}
	return "to be deleted"
}

// held asks the guard whether Applications may go; it tells why not.
func (r *Reconciler) held(c *causeway.Cluster, list guard.List, exist int) string {
	subject := client.ObjectKeyFromObject(c)
	hold := func(n int) { r.Ledger.Hold(causeway.ClusterKind, subject.String(), n) }
	if len(list) == 0 {
		hold(0)
		return ""
	}
	now := r.Now()
	approved, because := guard.Approves(c.Annotations[gitops.AnnotationDeletionApproval], list.Digest(), now)
	if approved {
		by := guard.ApprovedBy(c.Annotations[gitops.AnnotationDeletionApproval])
		r.Ledger.Note(guard.OfClusters, list.Names(), now)
		r.Ledger.Release(causeway.ClusterKind, subject.String(), by)
		r.Events.Event(c, corev1.EventTypeNormal, "DeletionApproved", "Deletion of "+gitops.Count(len(list), "application")+" was approved"+by)
		return ""
	}
	settings := r.Limits()
	ok, _, _ := r.Ledger.Admit(settings, guard.OfClusters, list.Names(), exist, now)
	if ok {
		hold(0)
		return ""
	}
	hold(len(list))
	text := fmt.Sprintf("%d applications would go with it: %s; %s; if that is meant, approve exactly this list: causeway approve cluster/%s, or the annotation %s: %s;until=%s",
		len(list), list, settings.PastFleet(), c.Name, gitops.AnnotationDeletionApproval, list.Digest(), now.Add(time.Hour).UTC().Truncate(time.Hour).Format(time.RFC3339))
	if because != "" {
		text += "; " + because
	}
	return text
}

// forget drops what is counted of a Cluster that is gone.
func (r *Reconciler) forget(name types.NamespacedName) {
	r.Ledger.Hold(causeway.ClusterKind, name.String(), 0)
}

// shown is how many Applications a message names.
const shown = 10

func (l remainder) String() string {
	if len(l.apps) == 0 {
		return "ApplicationSets are told that the cluster goes"
	}
	names := slices.Sorted(slices.Values(l.apps))
	text := fmt.Sprintf("%d applications are on the cluster: %s", len(names), gitops.Listed(names, shown))
	if l.held != "" {
		text += "; denied: " + l.held
	}
	return text
}
