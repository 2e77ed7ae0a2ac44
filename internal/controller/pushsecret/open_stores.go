package pushsecret

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

func idOfStore(s store.Store) string { return s.Kind + "/" + s.Name }

// opened is a store that is written to.
type opened struct {
	Store

	found store.Store
	// id is what the status calls it.
	id     string
	labels map[string]string
}

// stores are those that the PushSecret names, each once. Those of other controllers are
// left out; when there are no others, that is errAllOthers.
func (t *turn) stores(ctx context.Context) ([]opened, error) {
	found := map[string]opened{}
	others := false
	for i, ref := range t.of.Spec.SecretStoreRefs {
		names, err := t.names(ctx, ref)
		if err != nil {
			return nil, fmt.Errorf("secretStoreRefs[%d]: %w", i, err)
		}
		for name, labels := range names {
			one, err := t.r.Find(ctx, t.of.Namespace, esv1.SecretStoreRef{Name: name, Kind: ref.Kind})
			if errors.Is(err, store.ErrOthers) {
				others = true
				continue
			}
			if errors.Is(err, store.ErrForbidden) && ref.Name == "" {
				continue // labels select it, and it does not admit the namespace
			}
			if err != nil {
				return nil, fmt.Errorf("secretStoreRefs[%d]: %w", i, err)
			}
			found[idOfStore(one)] = opened{found: one, id: idOfStore(one), labels: labels}
		}
	}
	if len(found) == 0 && others {
		return nil, errAllOthers
	}
	if len(found) == 0 {
		return nil, errors.New("secretStoreRefs names no store that admits the namespace")
	}
	out := make([]opened, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		one := found[id]
		var err error
		if one.Store, err = t.open(ctx, one.found); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func (t *turn) open(ctx context.Context, found store.Store) (Store, error) {
	one, err := t.r.Open(ctx, found, t.of.Namespace)
	if err != nil {
		return nil, err
	}
	if !one.Writes() {
		return nil, fmt.Errorf("%w: %s is of the provider %s", store.ErrReadOnly, found, found.Provider)
	}
	return one, nil
}

// names are those of the stores of a reference, with their labels.
func (t *turn) names(ctx context.Context, ref v1alpha1.StoreRef) (map[string]map[string]string, error) {
	if (ref.Name == "") == (ref.LabelSelector == nil) {
		return nil, errors.New("set one of name and labelSelector")
	}
	var labels client.ListOption = client.InNamespace("")
	if ref.LabelSelector != nil {
		selector, err := metav1.LabelSelectorAsSelector(ref.LabelSelector)
		if err != nil {
			return nil, fmt.Errorf("labelSelector: %w", err)
		}
		labels = client.MatchingLabelsSelector{Selector: selector}
	}
	out := map[string]map[string]string{}
	keep := func(o client.Object) {
		if ref.Name == "" || ref.Name == o.GetName() {
			out[o.GetName()] = o.GetLabels()
		}
	}
	if ref.Kind == esv1.ClusterSecretStoreKind {
		var all esv1.ClusterSecretStoreList
		if err := t.r.Objects.List(ctx, &all, labels); err != nil {
			return nil, fmt.Errorf("cannot list the ClusterSecretStores: %w", err)
		}
		for i := range all.Items {
			keep(&all.Items[i])
		}
	} else {
		var all esv1.SecretStoreList
		if err := t.r.Objects.List(ctx, &all, client.InNamespace(t.of.Namespace), labels); err != nil {
			return nil, fmt.Errorf("cannot list the SecretStores: %w", err)
		}
		for i := range all.Items {
			keep(&all.Items[i])
		}
	}
	if ref.Name != "" && len(out) == 0 {
		out[ref.Name] = nil // whoever finds it says what is lacking
	}
	return out, nil
}

// errAllOthers is of a PushSecret whose stores are all another controller's: it is theirs
// to write, and to say what became of it.
var errAllOthers = errors.New("all stores are another controller's")
