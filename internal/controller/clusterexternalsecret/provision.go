package clusterexternalsecret

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const manager = "causeway-secrets"

var (
	// errMore is of a turn after which there is more to write.
	errMore = errors.New("it is tried again soon")
	// errForeign is of an ExternalSecret that is somebody else's.
	errForeign = errors.New("external secret already exists in namespace")
)

// turn is one look at a ClusterExternalSecret.
type turn struct {
	r    *Reconciler
	of   *esv1.ClusterExternalSecret
	name string
	// ends is when it writes no more.
	ends time.Time
	// before are the reasons of the namespaces that failed before: they are tried last, so
	// that they keep no other one waiting.
	before map[string]string

	provisioned []string
	failed      []esv1.FailedNamespace
	// kept are errors of ExternalSecrets that could not be deleted.
	kept []error
	// again is an error that may be over by itself.
	again error
	// changed is that somebody wrote what was to be deleted.
	changed bool
}

// all makes what is lacking and corrects what differs, and then deletes what is not
// selected any more. Nothing is deleted unless all namespaces are known.
func (t *turn) all(ctx context.Context) error {
	selection, err := selectionOf(t.of)
	if err != nil {
		return err
	}
	selected, going, err := t.r.namespaces(ctx, selection)
	if err != nil {
		return err
	}
	own, err := t.own(ctx)
	if err != nil {
		return err
	}
	for _, namespace := range t.inOrder(selected) {
		at := types.NamespacedName{Namespace: namespace, Name: t.name}
		err := t.one(ctx, at, own[at])
		if was, failed := t.before[namespace]; failed && errors.Is(err, errMore) {
			err = errors.New(was)
		}
		if errors.Is(err, errMore) || ctx.Err() != nil {
			return errMore
		}
		delete(own, at)
		t.note(namespace, err)
	}
	t.sort()
	maps.DeleteFunc(own, func(at types.NamespacedName, _ *esv1.ExternalSecret) bool { return going[at.Namespace] }) // they go with it
	return t.removeAll(ctx, own)
}

// removeAll deletes what is not selected any more. What could not be deleted before is
// tried last, so that it keeps nothing else waiting.
func (t *turn) removeAll(ctx context.Context, own map[types.NamespacedName]*esv1.ExternalSecret) error {
	before := t.r.refusedOf(t.of.Name)
	refused := maps.Clone(before)
	order := slices.SortedFunc(maps.Keys(own), func(a, b types.NamespacedName) int {
		if first, second := before[a] != nil, before[b] != nil; first != second {
			if first {
				return 1
			}
			return -1
		}
		return compare(a, b)
	})
	for _, at := range order {
		err := t.remove(ctx, own[at])
		if errors.Is(err, errMore) && before[at] != nil {
			err = before[at]
		}
		switch {
		case errors.Is(err, errMore):
			t.r.refuse(t.of.Name, refused)
			return err
		case apierrors.IsConflict(err): // somebody wrote its status
			t.changed = true
		case err != nil:
			t.kept = append(t.kept, err)
			refused[at] = err
			continue
		}
		delete(refused, at)
	}
	maps.DeleteFunc(refused, func(at types.NamespacedName, _ error) bool { return own[at] == nil })
	t.r.refuse(t.of.Name, refused)
	return nil
}

// inOrder has those that failed before be the last ones.
func (t *turn) inOrder(selected []string) []string {
	slices.SortStableFunc(selected, func(a, b string) int {
		_, first := t.before[a]
		_, second := t.before[b]
		switch {
		case first == second:
			return 0
		case first:
			return 1
		}
		return -1
	})
	return selected
}

func compare(a, b types.NamespacedName) int { return strings.Compare(a.String(), b.String()) }

// own are the ExternalSecrets that were made, under whichever name.
func (t *turn) own(ctx context.Context) (map[types.NamespacedName]*esv1.ExternalSecret, error) {
	var all esv1.ExternalSecretList
	if err := t.r.Objects.List(ctx, &all, client.MatchingFields{IndexOwner: t.of.Name}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("cannot list the ExternalSecrets: %w", err)
	}
	own := make(map[types.NamespacedName]*esv1.ExternalSecret, len(all.Items))
	for i := range all.Items {
		if one := &all.Items[i]; metav1.IsControlledBy(one, t.of) {
			own[client.ObjectKeyFromObject(one)] = one
		}
	}
	return own, nil
}

// sort has the status name namespaces in one order, however they were tried.
func (t *turn) sort() {
	slices.Sort(t.provisioned)
	slices.SortFunc(t.failed, func(a, b esv1.FailedNamespace) int { return strings.Compare(a.Namespace, b.Namespace) })
}

func (t *turn) note(namespace string, err error) {
	if err == nil {
		t.provisioned = append(t.provisioned, namespace)
		return
	}
	t.failed = append(t.failed, esv1.FailedNamespace{Namespace: namespace, Reason: gitops.First(err.Error(), longestReason)})
	if !errors.Is(err, errForeign) {
		t.again = fmt.Errorf("namespace %s: %w", namespace, err)
	}
}

// one has the ExternalSecret of one namespace be as it should; there is what the cache
// has of it.
func (t *turn) one(ctx context.Context, at types.NamespacedName, there *esv1.ExternalSecret) error {
	if there == nil {
		return t.create(ctx, at)
	}
	if there.DeletionTimestamp != nil {
		return errors.New("the ExternalSecret is just being deleted")
	}
	wanted := there.DeepCopy()
	t.put(wanted)
	if equality.Semantic.DeepEqual(there, wanted) {
		return nil
	}
	if err := t.goesOn(); err != nil {
		return err
	}
	err := t.patch(ctx, there, wanted)
	if apierrors.IsConflict(err) { // its status is written often
		var now esv1.ExternalSecret
		if err := t.r.Live.Get(ctx, at, &now); err != nil {
			return fmt.Errorf("cannot read the ExternalSecret: %w", err)
		}
		if err := t.foreign(&now); err != nil {
			return err
		}
		wanted = now.DeepCopy()
		t.put(wanted)
		err = t.patch(ctx, &now, wanted)
	}
	if err != nil {
		return fmt.Errorf("cannot change the ExternalSecret: %w", err)
	}
	return nil
}

// patch goes by the resource version, so that nobody's change is undone that was not
// looked at.
func (t *turn) patch(ctx context.Context, there, wanted *esv1.ExternalSecret) error {
	return t.r.Cluster.Patch(ctx, wanted, client.MergeFromWithOptions(there, client.MergeFromWithOptimisticLock{}), client.FieldOwner(manager))
}

// goesOn is an error where the turn is over.
func (t *turn) goesOn() error {
	if !t.r.Now().Before(t.ends) {
		return errMore
	}
	return nil
}

// create makes an ExternalSecret, unless there is one: what was made a moment ago is not
// in the cache yet, and what somebody else made stays as it is.
func (t *turn) create(ctx context.Context, at types.NamespacedName) error {
	var now esv1.ExternalSecret
	if err := t.r.Objects.Get(ctx, at, &now); err == nil {
		return t.foreign(&now)
	}
	if err := t.goesOn(); err != nil {
		return err
	}
	one := &esv1.ExternalSecret{ObjectMeta: metav1.ObjectMeta{Namespace: at.Namespace, Name: at.Name}}
	yes := true
	one.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: esv1.GroupVersion.String(), Kind: esv1.ClusterExternalSecretKind, Name: t.of.Name, UID: t.of.UID,
		Controller: &yes, BlockOwnerDeletion: &yes,
	}}
	t.put(one)
	err := t.r.Cluster.Create(ctx, one, client.FieldOwner(manager))
	if apierrors.IsAlreadyExists(err) {
		if err := t.r.Live.Get(ctx, at, &now); err != nil {
			return fmt.Errorf("cannot read the ExternalSecret that is there: %w", err)
		}
		return t.foreign(&now)
	}
	if err != nil {
		return fmt.Errorf("cannot create the ExternalSecret: %w", err)
	}
	return nil
}

// foreign is an error where an ExternalSecret is somebody else's.
func (t *turn) foreign(now *esv1.ExternalSecret) error {
	if metav1.IsControlledBy(now, t.of) {
		return nil
	}
	if owner := metav1.GetControllerOf(now); owner != nil {
		return fmt.Errorf("%w: %s %s made it; give externalSecretName another name", errForeign, owner.Kind, owner.Name)
	}
	return fmt.Errorf("%w: %s; delete it, or give externalSecretName another name", errForeign, now.Name)
}

// put sets what the ClusterExternalSecret says. Labels and annotations that others added
// stay; those that it said before and says no longer go.
func (t *turn) put(one *esv1.ExternalSecret) {
	t.of.Spec.ExternalSecretSpec.DeepCopyInto(&one.Spec)
	said := t.of.Spec.ExternalSecretMetadata
	before := strings.Fields(one.Annotations[esv1.AnnotationMetadata])
	one.Labels = replaced(one.Labels, said.Labels, before, "label:")
	one.Annotations = replaced(one.Annotations, said.Annotations, before, "annotation:")
	var keys []string
	for key := range said.Labels {
		keys = append(keys, "label:"+key)
	}
	for key := range said.Annotations {
		keys = append(keys, "annotation:"+key)
	}
	slices.Sort(keys)
	if len(keys) > 0 {
		metav1.SetMetaDataAnnotation(&one.ObjectMeta, esv1.AnnotationMetadata, strings.Join(keys, " "))
		return
	}
	delete(one.Annotations, esv1.AnnotationMetadata)
}

func replaced(now, said map[string]string, before []string, kind string) map[string]string {
	for _, key := range before {
		if name, is := strings.CutPrefix(key, kind); is {
			delete(now, name)
		}
	}
	if now == nil && len(said) > 0 {
		now = map[string]string{}
	}
	maps.Copy(now, said)
	return now
}

// remove deletes an ExternalSecret of a namespace that is not selected any more, as it
// was looked at.
func (t *turn) remove(ctx context.Context, one *esv1.ExternalSecret) error {
	if one.DeletionTimestamp != nil {
		return nil
	}
	if err := t.goesOn(); err != nil {
		return err
	}
	err := t.r.Cluster.Delete(ctx, one, client.Preconditions{UID: &one.UID, ResourceVersion: &one.ResourceVersion})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("cannot delete ExternalSecret %s/%s, whose namespace is not selected any more: %w", one.Namespace, one.Name, err)
	}
	return nil
}
