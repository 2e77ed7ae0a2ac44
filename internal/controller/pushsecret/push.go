package pushsecret

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/api/externalsecrets/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/secrets/provider"
	"github.com/causeway-gitops/causeway/internal/secrets/store"
)

// synced are the entries that were written, by their stores and their names.
type synced map[string]map[string]v1alpha1.PushSecretData

func (s synced) note(in string, id string, note v1alpha1.PushSecretData) {
	if s[in] == nil {
		s[in] = map[string]v1alpha1.PushSecretData{}
	}
	s[in][id] = note
}

func (s synced) drop(in, id string) {
	delete(s[in], id)
	if len(s[in]) == 0 {
		delete(s, in)
	}
}

// turn is one time that values are written.
type turn struct {
	r  *Reconciler
	of *v1alpha1.PushSecret
	// synced is what is in stores of what was written, now.
	synced synced
	// version is that of the Secret that was read.
	version string
	// secrets are values that no error may show.
	secrets [][]byte
	// room is what may still be kept of values and entries, in bytes.
	room int
}

const (
	// mostBytes is what one PushSecret may have the engine keep: values, what is made of
	// them, and the entries that they are written to.
	mostBytes = 16 << 20
	// perEntry is about what an entry takes besides its value.
	perEntry = 256
)

var errTooMuch = fmt.Errorf("the values, and what is made of them for all entries, have more than %d MiB: push fewer of them with one PushSecret", mostBytes>>20)

// take is an error where there is no room for so many bytes.
func (t *turn) take(bytes int) error {
	if t.room -= bytes; t.room < 0 {
		return errTooMuch
	}
	return nil
}

func (r *Reconciler) turn(of *v1alpha1.PushSecret) *turn {
	t := &turn{r: r, of: of, synced: synced{}, room: mostBytes}
	now := synced(of.Status.SyncedPushSecrets)
	r.mu.Lock()
	defer r.mu.Unlock()
	if unnoted := r.unnoted[of.UID]; unnoted != nil {
		now = unnoted
	}
	for in, all := range now {
		t.synced[in] = maps.Clone(all)
	}
	return t
}

func compare(a, b string) int { return strings.Compare(a, b) }

// all writes what is named, and then takes out what is not any more.
func (t *turn) all(ctx context.Context) error {
	if err := t.known(); err != nil {
		return err
	}
	stores, err := t.stores(ctx)
	if err != nil {
		return err
	}
	if err := t.r.hold(ctx, t.of); err != nil {
		return err
	}
	done, err := t.generatedBefore(ctx, stores)
	if err != nil {
		return err
	}
	if done {
		return t.tidy(ctx, t.named(stores))
	}
	from, err := t.sources(ctx)
	if errors.Is(err, errNoSource) && t.of.Spec.DeletionPolicy == v1alpha1.DeletionDelete {
		return errors.Join(err, t.deleteAll(ctx))
	}
	if err != nil {
		return err
	}
	plan, err := t.plan(ctx, stores, from)
	if err != nil {
		return err
	}
	var failures []error
	for _, one := range stores {
		if err := t.write(ctx, one, plan[one.id]); err != nil {
			failures = append(failures, err)
		}
	}
	if len(failures) > 0 {
		return errors.Join(failures...)
	}
	return t.tidy(ctx, plan)
}

// known is an error where a policy is one of a later release.
func (t *turn) known() error {
	spec := t.of.Spec
	switch {
	case spec.UpdatePolicy != "" && spec.UpdatePolicy != "Replace" && spec.UpdatePolicy != v1alpha1.UpdateIfNotExists:
		return fmt.Errorf("updatePolicy %q; there are Replace and IfNotExists", spec.UpdatePolicy)
	case spec.DeletionPolicy != "" && spec.DeletionPolicy != "None" && spec.DeletionPolicy != v1alpha1.DeletionDelete:
		return fmt.Errorf("deletionPolicy %q; there are None and Delete", spec.DeletionPolicy)
	}
	return nil
}

// opened is a store that is written to.
type opened struct {
	Store

	found store.Store
	// id is what the status calls it.
	id     string
	labels map[string]string
}

func idOfStore(s store.Store) string { return s.Kind + "/" + s.Name }

// errAllOthers is of a PushSecret whose stores are all another controller's: it is theirs
// to write, and to say what became of it.
var errAllOthers = errors.New("all stores are another controller's")

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

// generatedBefore reports whether all that a generator would make is in the stores
// already, where that is to stay: then none is asked for another value.
func (t *turn) generatedBefore(ctx context.Context, stores []opened) (bool, error) {
	spec := t.of.Spec
	if spec.Selector.GeneratorRef == nil || spec.UpdatePolicy != v1alpha1.UpdateIfNotExists || len(spec.DataTo) > 0 || len(spec.Data) == 0 {
		return false, nil
	}
	for _, one := range stores {
		for _, d := range spec.Data {
			is, err := one.Exists(ctx, targetOf(d))
			if err != nil {
				return false, fmt.Errorf("cannot look for %s in %s: %w", targetOf(d), one.found, err)
			}
			if !is {
				return false, nil
			}
		}
	}
	return true, nil
}

// named are the entries of data, for each store, without values.
func (t *turn) named(stores []opened) map[string][]planned {
	plan := map[string][]planned{}
	for _, one := range stores {
		for _, note := range t.of.Spec.Data {
			plan[one.id] = append(plan[one.id], planned{note: note})
		}
	}
	return plan
}

// plan is what is written to each store.
func (t *turn) plan(ctx context.Context, stores []opened, from []source) (map[string][]planned, error) {
	plan := map[string][]planned{}
	for _, one := range from {
		made, err := t.templated(ctx, one)
		if err != nil {
			return nil, err
		}
		single, err := t.explicit(made)
		if err != nil {
			return nil, err
		}
		if err := t.take(perEntry * len(single) * len(stores)); err != nil {
			return nil, err
		}
		for _, s := range stores {
			plan[s.id] = append(plan[s.id], single...)
		}
		for i, to := range t.of.Spec.DataTo {
			all, err := t.many(ctx, i, made)
			if err != nil {
				return nil, err
			}
			targets, err := targetsOf(to, stores)
			if err != nil {
				return nil, fmt.Errorf("dataTo[%d].storeRef: %w", i, err)
			}
			if err := t.take(perEntry * len(all) * len(targets)); err != nil {
				return nil, fmt.Errorf("dataTo[%d]: %w", i, err)
			}
			for _, id := range targets {
				plan[id] = append(plan[id], all...)
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(plan)) {
		if err := unique(plan[id]); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	return plan, nil
}

// targetsOf are the stores of a dataTo, among those of the PushSecret.
func targetsOf(to v1alpha1.DataTo, stores []opened) (ids []string, err error) {
	if to.StoreRef == nil || (to.StoreRef.Name == "") == (to.StoreRef.LabelSelector == nil) {
		return nil, errors.New("set one of name and labelSelector")
	}
	selector, err := metav1.LabelSelectorAsSelector(to.StoreRef.LabelSelector)
	if err != nil {
		return nil, fmt.Errorf("labelSelector: %w", err)
	}
	kind := to.StoreRef.Kind
	if kind == "" {
		kind = esv1.SecretStoreKind
	}
	for _, one := range stores {
		named := to.StoreRef.Name != "" && to.StoreRef.Name == one.found.Name
		if kind == one.found.Kind && (named || to.StoreRef.Name == "" && selector.Matches(labelSet(one.labels))) {
			ids = append(ids, one.id)
		}
	}
	if len(ids) == 0 {
		return nil, errors.New("secretStoreRefs names no such store")
	}
	return ids, nil
}

// write writes to one store, as much as can be written.
func (t *turn) write(ctx context.Context, to opened, plan []planned) error {
	var failures []error
	for _, one := range plan {
		if ctx.Err() != nil {
			return errors.Join(append(failures, context.Cause(ctx))...)
		}
		_, before := t.synced[to.id][idOf(one.note)]
		if t.of.Spec.UpdatePolicy == v1alpha1.UpdateIfNotExists {
			is, err := to.Exists(ctx, one.push.Target)
			if err != nil {
				failures = append(failures, fmt.Errorf("cannot look for %s in %s: %w", one.push.Target, to.found, err))
			}
			if is && before {
				t.synced.note(to.id, idOf(one.note), one.note)
			}
			if err != nil || is {
				continue // what somebody else wrote is not noted: it would be deleted later
			}
		}
		if err := to.Put(ctx, one.push); err != nil {
			failures = append(failures, fmt.Errorf("cannot write %s to %s as %s: %w", orWhole(one.from), to.found, one.push.Target, err))
			continue
		}
		t.synced.note(to.id, idOf(one.note), one.note)
	}
	return errors.Join(failures...)
}

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

// hide masks values in an error: a server may repeat what it was told.
func (t *turn) hide(err error) error {
	if err == nil || len(t.secrets) == 0 {
		return err
	}
	text := redact.Repeated(err.Error(), t.secrets)
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

var _ provider.Writer = (*store.Opened)(nil)
