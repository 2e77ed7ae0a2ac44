package externalsecret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Why a Secret is not written.
var (
	errForeign = errors.New("the Secret belongs to somebody else")
	errAbsent  = errors.New("the Secret does not exist")
)

func nameOf(one *esv1.ExternalSecret) types.NamespacedName {
	return types.NamespacedName{Namespace: one.Namespace, Name: one.Name}
}

// write puts the object into the cluster, unless that is what was written last and
// nobody touched it since.
func (r *Reconciler) write(ctx context.Context, one *esv1.ExternalSecret, there *corev1.Secret, object map[string]any) error {
	policy := one.Spec.Target.CreationPolicy
	if policy == esv1.CreateNone {
		return nil
	}
	wanted := &unstructured.Unstructured{Object: object}
	r.claim(one, wanted)
	sum := r.seal.of(wanted.Object)
	if r.unchanged(one, there, sum) {
		return nil
	}
	if err := r.admit(ctx, one, wanted); err != nil {
		return err
	}
	by := manager
	if policy == esv1.CreateMerge {
		by += "/" + one.Name
	}
	if err := r.Cluster.Apply(ctx, client.ApplyConfigurationFromUnstructured(wanted), client.FieldOwner(by), client.ForceOwnership); err != nil {
		return fmt.Errorf("cannot write %s %s: %w", wanted.GetKind(), wanted.GetName(), withoutObject(err))
	}
	if err := r.clean(ctx, one, wanted); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written[nameOf(one)] = written{sum: sum, version: wanted.GetResourceVersion()}
	return nil
}

// claim says whose the object is.
func (r *Reconciler) claim(one *esv1.ExternalSecret, object *unstructured.Unstructured) {
	spec := one.Spec.Target
	if spec.CreationPolicy == esv1.CreateMerge {
		return
	}
	labels := object.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[LabelManaged] = "true"
	object.SetLabels(labels)
	if object.GetKind() == "Secret" {
		data, _, _ := unstructured.NestedMap(object.Object, "data")
		annotations := object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[annotationKeys] = keysText(slices.Sorted(maps.Keys(data)))
		object.SetAnnotations(annotations)
		if spec.Immutable {
			object.Object["immutable"] = true
		}
	}
	if spec.CreationPolicy == "" || spec.CreationPolicy == esv1.CreateOwner {
		yes := true
		object.SetOwnerReferences([]metav1.OwnerReference{{
			APIVersion: esv1.GroupVersion.String(), Kind: esv1.ExternalSecretKind, Name: one.Name, UID: one.UID,
			Controller: &yes, BlockOwnerDeletion: &yes,
		}})
	}
}

func (r *Reconciler) unchanged(one *esv1.ExternalSecret, there *corev1.Secret, sum [sumSize]byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	last, ok := r.written[nameOf(one)]
	return ok && there != nil && last.sum == sum && last.version == there.ResourceVersion
}

// admit is an error where the object is not this ExternalSecret's to write.
func (r *Reconciler) admit(ctx context.Context, one *esv1.ExternalSecret, wanted *unstructured.Unstructured) error {
	now := &metav1.PartialObjectMetadata{}
	now.SetGroupVersionKind(wanted.GroupVersionKind())
	err := r.Cluster.Get(ctx, target(one), now)
	merge := one.Spec.Target.CreationPolicy == esv1.CreateMerge
	switch {
	case apierrors.IsNotFound(err) && merge:
		return fmt.Errorf("%w: %s %s, into which creationPolicy: Merge puts values; create it, or use Owner", errAbsent, wanted.GetKind(), wanted.GetName())
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return fmt.Errorf("cannot read %s %s: %w", wanted.GetKind(), wanted.GetName(), err)
	case merge:
		return nil
	}
	if owner := metav1.GetControllerOf(now); owner != nil && owner.UID != one.UID {
		return fmt.Errorf("%w: %s %s is kept by %s %s; give target.name another name, or use creationPolicy: Merge",
			errForeign, wanted.GetKind(), wanted.GetName(), owner.Kind, owner.Name)
	}
	return nil
}

// clean takes keys out of a Secret that others put into it.
func (r *Reconciler) clean(ctx context.Context, one *esv1.ExternalSecret, now *unstructured.Unstructured) error {
	if one.Spec.Target.CreationPolicy == esv1.CreateMerge || now.GetKind() != "Secret" {
		return nil
	}
	data, _, _ := unstructured.NestedMap(now.Object, "data")
	keep := now.GetAnnotations()[annotationKeys]
	gone := map[string]any{}
	for key := range data {
		if !hasKey(keep, key) {
			gone[key] = nil
		}
	}
	if len(gone) == 0 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"data": gone})
	if err != nil {
		return err
	}
	return r.Cluster.Patch(ctx, now, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(manager))
}

// withoutObject keeps what an API server says of an object that it refuses, and
// drops what it quotes of it.
func withoutObject(err error) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return err
	}
	var said []string
	for _, cause := range status.Status().Details.Causes {
		said = append(said, string(cause.Type)+" "+cause.Field)
	}
	if len(said) == 0 {
		return err
	}
	return fmt.Errorf("%s: %v", status.Status().Reason, said)
}
