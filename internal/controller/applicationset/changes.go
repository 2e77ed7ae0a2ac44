package applicationset

import (
	"cmp"
	"context"
	"fmt"

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

func (r *Reconciler) owned(ctx context.Context, set *v1alpha1.ApplicationSet) ([]v1alpha1.Application, error) {
	var list v1alpha1.ApplicationList
	err := r.Client.List(ctx, &list, client.InNamespace(set.Namespace), client.MatchingFields{OwnerField: set.Name}, client.UnsafeDisableDeepCopy)
	if err != nil {
		return nil, fmt.Errorf("cannot list the applications of applicationset %s: %w", set.Name, err)
	}
	return list.Items, nil
}

// hold keeps the Applications that are no longer generated while others cannot
// be created. It returns how many are kept.
func hold(c *generate.Changes, set *v1alpha1.ApplicationSet, e *generate.Expansion) int {
	held := len(c.Delete)
	if generate.Keeps(set, e) != generate.KeepsForRejected || held == 0 {
		return 0
	}
	c.Delete = nil
	return held
}

// rejected returns what was generated but cannot be created, as one problem. What may
// come from clusters is in the whole of it alone.
func rejected(e *generate.Expansion, held int) error {
	if len(e.Rejected) == 0 {
		return nil
	}
	texts, told := make([]string, 0, len(e.Rejected)), make([]string, 0, len(e.Rejected))
	veiled := false
	for _, r := range e.Rejected {
		text := fmt.Sprintf("%s: %v", r.Name, r.Err)
		texts, told = append(texts, text), append(told, cmp.Or(r.Bare, text))
		veiled = veiled || r.Bare != ""
	}
	whole := refusal(e, held, eachOnce(texts))
	if !veiled {
		return whole
	}
	return &bareError{bare: refusal(e, held, eachOnce(told)).Error(), whole: whole}
}

func refusal(e *generate.Expansion, held int, why string) *gitops.Problem {
	p := gitops.Problemf(gitops.Invalid, "cannot create %d of %d applications: %s", len(e.Rejected), len(e.Rejected)+len(e.Applications), why)
	if held > 0 {
		return p.Do(fmt.Sprintf("mend the set: until then %d applications that it no longer generates are kept", held))
	}
	return p
}
