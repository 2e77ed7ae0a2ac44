package pushsecret

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// tidy takes out of stores what was written and is named no longer, or forgets it, by
// the deletionPolicy.
func (t *turn) tidy(ctx context.Context, plan map[string][]planned) error {
	keep := map[string]map[string]bool{}
	for id, all := range plan {
		keep[id] = map[string]bool{}
		for _, one := range all {
			keep[id][idOf(one.note)] = true
		}
	}
	return t.deleteBut(ctx, func(in, id string) bool { return keep[in][id] })
}

// deleteAll takes out all that was written.
func (t *turn) deleteAll(ctx context.Context) error {
	return t.deleteBut(ctx, func(string, string) bool { return false })
}

func (t *turn) deleteBut(ctx context.Context, keep func(in, id string) bool) error {
	var failures []error
	for _, in := range slices.Sorted(maps.Keys(t.synced)) {
		gone := slices.DeleteFunc(slices.Sorted(maps.Keys(t.synced[in])), func(id string) bool { return keep(in, id) })
		if len(gone) == 0 {
			continue
		}
		if t.of.Spec.DeletionPolicy != v1alpha1.DeletionDelete {
			for _, id := range gone {
				t.synced.drop(in, id)
			}
			continue
		}
		if err := t.deleteIn(ctx, in, gone); err != nil {
			failures = append(failures, err)
		}
	}
	return errors.Join(failures...)
}

// ofOthers reports whether all that was written is in stores that are another
// controller's by now.
func (t *turn) ofOthers(ctx context.Context) bool {
	for in := range t.synced {
		kind, name, _ := strings.Cut(in, "/")
		if _, err := t.r.Find(ctx, t.of.Namespace, esv1.SecretStoreRef{Kind: kind, Name: name}); !errors.Is(err, store.ErrOthers) {
			return false
		}
	}
	return len(t.synced) > 0
}

// deleteIn takes entries out of one store. Where that may not be done any more, they stay:
// the store is gone, maybe with the whole namespace, does not admit it, is another one, or
// another controller's, or its credentials go with the namespace.
func (t *turn) deleteIn(ctx context.Context, in string, ids []string) error {
	kind, name, _ := strings.Cut(in, "/")
	found, err := t.r.Find(ctx, t.of.Namespace, esv1.SecretStoreRef{Kind: kind, Name: name})
	var to Store
	if err == nil {
		to, err = t.open(ctx, found)
	}
	if t.endures(ctx, err) {
		t.abandon(ctx, in, ids, err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot delete what is pushed no longer: %w", err)
	}
	var failures []error
	for _, id := range ids {
		target := targetOf(t.synced[in][id])
		err := to.Delete(ctx, target)
		if t.endures(ctx, err) {
			t.abandon(ctx, in, []string{id}, err)
			continue
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("cannot delete %s, which is pushed no longer, from %s: %w", target, found, err))
			continue
		}
		t.synced.drop(in, id)
	}
	return errors.Join(failures...)
}

// abandon forgets entries that stay in a store.
func (t *turn) abandon(ctx context.Context, in string, ids []string, reason error) {
	t.r.Log.WarnContext(ctx, "what a PushSecret wrote stays where it is", "push_secret", t.of.Namespace+"/"+t.of.Name, "store", in, "entries", len(ids), "reason", reason)
	for _, id := range ids {
		t.synced.drop(in, id)
	}
}

// endures reports whether an error of a store is not over by itself.
func (t *turn) endures(ctx context.Context, err error) bool {
	if errors.Is(err, store.ErrAbsent) && t.of.DeletionTimestamp != nil {
		// The credentials of a ClusterSecretStore may have been in the namespace: what waits
		// for them keeps it for ever.
		var namespace corev1.Namespace
		return t.r.Objects.Get(ctx, client.ObjectKey{Name: t.of.Namespace}, &namespace) == nil && namespace.DeletionTimestamp != nil
	}
	return errors.Is(err, store.ErrMissing) || errors.Is(err, store.ErrForbidden) || errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrOthers)
}
