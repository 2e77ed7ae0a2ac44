package apply

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/causeway-gitops/causeway/internal/difference"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// takeOver makes the fields of kubectl and Argo CD on a live object ours, so
// that the apply that follows changes what differs and removes what is no
// longer desired, kubectl's last-applied annotation included. What is kept as
// it is stays whose it is: an apply would remove it. Nothing but ownership changes.
func (a *Applier) takeOver(ctx context.Context, c Cluster, path, manager string, kept *fieldpath.Set) error {
	for try := 1; ; try++ {
		live, err := a.get(ctx, c, path)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		patch, err := ownershipPatch(live, manager, kept)
		if err != nil || patch == nil {
			return err
		}
		_, err = a.send(ctx, c, call{path: path, patch: types.JSONPatchType, query: map[string]string{"fieldManager": gitops.FieldManager}, body: patch})
		if !apierrors.IsConflict(err) || try == attempts {
			return err
		}
	}
}

// ownershipPatch is nil when there is nothing to take over.
func ownershipPatch(live *unstructured.Unstructured, manager string, kept *fieldpath.Set) ([]byte, error) {
	var entries, stay []metav1.ManagedFieldsEntry
	names := sets.New[string]()
	for i, entry := range live.GetManagedFields() {
		if !takesOver(&entry, manager) {
			entries = append(entries, entry)
			continue
		}
		theirs, ours, err := difference.Split(entry, kept)
		if err != nil {
			return nil, err
		}
		if theirs != nil {
			stay = append(stay, *theirs)
		}
		if ours == nil {
			continue
		}
		// Each entry gets a name of its own: entries of one name but of
		// several versions or operations would otherwise be dropped, not joined.
		ours.Manager = fmt.Sprintf("%s-before-%d", gitops.FieldManager, i)
		ours.Operation = metav1.ManagedFieldsOperationUpdate
		entries = append(entries, *ours)
		names.Insert(ours.Manager)
	}
	if len(names) == 0 {
		return nil, nil
	}
	live.SetManagedFields(append(entries, stay...))
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, names, gitops.FieldManager)
	if err != nil {
		return nil, fmt.Errorf("cannot take over the fields of other managers: %w", err)
	}
	return patch, nil
}

// migrated is one more manager whose fields become ours; empty for none.
func migrated(action *gitops.Action) string {
	if action.Options.KeepOwners {
		return ""
	}
	return action.Options.Migrate
}

// ownedByOthers reports whether fields of the live object have to become ours.
func ownedByOthers(live *gitops.Live, o gitops.Options) bool { return live.Foreign && !o.KeepOwners }

// takesOver reports whether the fields of an entry become ours: those of
// kubectl apply, client-side or server-side, and of Argo CD in both its modes.
func takesOver(e *metav1.ManagedFieldsEntry, manager string) bool {
	if e.Subresource != "" {
		return false
	}
	switch e.Manager {
	case manager:
		return true
	case "kubectl-client-side-apply", "argocd-controller":
		return true
	case "kubectl":
		return e.Operation == metav1.ManagedFieldsOperationApply
	}
	return false
}
