package applicationset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// OwnerField is the index of Applications by the ApplicationSet that owns them.
const OwnerField = "owner.applicationset"

// Owner is the index function of OwnerField.
func Owner(obj client.Object) []string {
	for _, ref := range obj.GetOwnerReferences() {
		if ref.Kind == "ApplicationSet" && ref.Controller != nil && *ref.Controller {
			return []string{ref.Name}
		}
	}
	return nil
}

// changes are the writes that bring the owned Applications to the expansion.
type changes struct {
	create []v1alpha1.Application
	update []update
	remove []v1alpha1.Application
	keep   []v1alpha1.Application
}

type update struct{ from, to *v1alpha1.Application }

func (r *Reconciler) owned(ctx context.Context, set *v1alpha1.ApplicationSet) (map[string]*v1alpha1.Application, error) {
	var list v1alpha1.ApplicationList
	err := r.client.List(ctx, &list, client.InNamespace(set.Namespace), client.MatchingFields{OwnerField: set.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("cannot list the applications of applicationset %s: %w", set.Name, err)
	}
	owned := make(map[string]*v1alpha1.Application, len(list.Items))
	for i := range list.Items {
		owned[list.Items[i].Name] = &list.Items[i]
	}
	return owned, nil
}

// compare sorts the expansion into creates, updates and removals by the set's
// policy. Names that the expansion rejected are left alone.
func compare(set *v1alpha1.ApplicationSet, owned map[string]*v1alpha1.Application, e *generate.Expansion) (changes, error) {
	var c changes
	wanted := map[string]bool{}
	for i := range e.Applications {
		app := &e.Applications[i]
		wanted[app.Name] = true
		live, ok := owned[app.Name]
		if !ok {
			c.create = append(c.create, *app)
			continue
		}
		if err := c.merge(set, live, app); err != nil {
			return changes{}, err
		}
	}
	for _, r := range e.Rejected {
		wanted[r.Name] = true
	}
	for name, live := range owned {
		if !wanted[name] {
			c.drop(set, live)
		}
	}
	return c, nil
}

func (c *changes) merge(set *v1alpha1.ApplicationSet, live, app *v1alpha1.Application) error {
	merged, changed, err := generate.Merge(live, app, set)
	if err != nil {
		return err
	}
	if !changed || !set.Spec.GetApplicationsSync().AllowUpdate() {
		c.keep = append(c.keep, *live)
		return nil
	}
	c.update = append(c.update, update{from: live, to: merged})
	return nil
}

func (c *changes) drop(set *v1alpha1.ApplicationSet, live *v1alpha1.Application) {
	if !set.Spec.GetApplicationsSync().AllowDelete() || !live.DeletionTimestamp.IsZero() {
		c.keep = append(c.keep, *live)
		return
	}
	c.remove = append(c.remove, *live)
}

// rejected returns what was generated but cannot be created, as one problem.
func rejected(e *generate.Expansion) error {
	if len(e.Rejected) == 0 {
		return nil
	}
	texts := make([]string, 0, len(e.Rejected))
	for _, r := range e.Rejected {
		texts = append(texts, fmt.Sprintf("%s: %v", r.Name, r.Err))
	}
	slices.Sort(texts)
	return gitops.Problemf(gitops.Invalid, "cannot create %d of %d applications: %s",
		len(e.Rejected), len(e.Rejected)+len(e.Applications), strings.Join(texts, "; "))
}
