package externalsecret

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/secrets/fetch"
)

// Why a Secret is not written.
var (
	errForeign = errors.New("the Secret belongs to somebody else")
	errAbsent  = errors.New("the Secret does not exist")
	errOther   = errors.New("the object is not the ExternalSecret's")
	errPolicy  = errors.New("the engine does not have this policy")
	// errWritten is why values count although a refresh failed: the Secret has them.
	errWritten = errors.New("the Secret has the values")
)

func nameOf(one *esv1.ExternalSecret) types.NamespacedName {
	return types.NamespacedName{Namespace: one.Namespace, Name: one.Name}
}

// known is an error where a policy is one of a later release: it would have another
// meaning here, and foreign keys would be removed for it.
func known(one *esv1.ExternalSecret) error {
	spec := one.Spec.Target
	if !spec.CreationPolicy.Known() {
		return fmt.Errorf("%w: target.creationPolicy %q; there are Owner, Orphan, Merge and None", errPolicy, spec.CreationPolicy)
	}
	if !spec.DeletionPolicy.Known() {
		return fmt.Errorf("%w: target.deletionPolicy %q; there are Retain, Delete and Merge", errPolicy, spec.DeletionPolicy)
	}
	return nil
}

// write puts the object into the cluster, unless that is what was written last and
// nobody touched it since.
func (r *Reconciler) write(ctx context.Context, one *esv1.ExternalSecret, there *corev1.Secret, object map[string]any, fetched fetch.Fetched) error {
	policy := one.Spec.Target.CreationPolicy
	if policy == esv1.CreateNone {
		r.release(ctx, one.Namespace, fetched.Leases) // nobody gets the values
		return nil
	}
	wanted := &unstructured.Unstructured{Object: object}
	if err := allow(one, wanted); err != nil {
		return err
	}
	r.claim(one, wanted)
	tellVersions(one, wanted, fetched.Versions)
	sum := r.seal.of(wanted.Object)
	if len(fetched.Leases) == 0 && r.unchanged(one, there, sum) {
		return nil
	}
	if err := r.admit(ctx, one, wanted); err != nil {
		return err
	}
	if err := r.tellChange(ctx, one, wanted, sum); err != nil {
		return err
	}
	leases, tooMany := r.tellLeases(one, there, wanted, fetched.Leases)
	if err := r.Cluster.Apply(ctx, client.ApplyConfigurationFromUnstructured(wanted), client.FieldOwner(fieldOwner(one)), client.ForceOwnership); err != nil {
		return fmt.Errorf("cannot write %s %s: %w", wanted.GetKind(), wanted.GetName(), &unsure{err, withoutObject(err, object)})
	}
	r.holds(one, leases)
	for _, l := range fetched.Leases {
		r.adopt(nameOf(one), l.ID, time.Time{})
	}
	r.release(ctx, one.Namespace, tooMany)
	if err := r.clean(ctx, one, wanted); err != nil {
		return &unsure{errWritten, fmt.Errorf("cannot take keys of others out of %s %s: %w", wanted.GetKind(), wanted.GetName(), withoutObject(err, object))}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.written[nameOf(one)] = written{sum: sum, version: wanted.GetResourceVersion(), changed: wanted.GetAnnotations()[esv1.AnnotationChanged]}
	return nil
}

// allow is an error where the object is another one than that of the ExternalSecret:
// templates write to any path, with the engine's rights and not those of who wrote them.
// For the same reason there are Secrets and ConfigMaps alone, and no RoleBindings.
func allow(one *esv1.ExternalSecret, wanted *unstructured.Unstructured) error {
	own := &unstructured.Unstructured{Object: blank(one)}
	if m := one.Spec.Target.Manifest; m != nil && (m.APIVersion != "v1" || m.Kind != "ConfigMap" && m.Kind != "Secret") {
		return fmt.Errorf("%w: target.manifest is a %s of %s; only ConfigMaps are made beside Secrets", errOther, m.Kind, m.APIVersion)
	}
	if wanted.GroupVersionKind() != own.GroupVersionKind() || wanted.GetName() != own.GetName() || wanted.GetNamespace() != own.GetNamespace() {
		return fmt.Errorf("%w: a template of target.template.templateFrom changes its kind, name or namespace", errOther)
	}
	if one.Spec.Target.CreationPolicy == esv1.CreateMerge {
		return allowMerge(wanted)
	}
	return nil
}

// allowMerge is an error where values are not all that somebody else's object would get:
// an owner that does not exist has it deleted, and what is immutable its owner cannot
// write any more. A type is let through, as the API server lets nobody change it.
func allowMerge(wanted *unstructured.Unstructured) error {
	metadata, _, _ := unstructured.NestedMap(wanted.Object, "metadata")
	for _, at := range []struct {
		of    string
		there map[string]any
		may   []string
	}{
		{"", wanted.Object, []string{"apiVersion", "kind", "metadata", "type", "data"}},
		{"metadata.", metadata, []string{"name", "namespace", "labels", "annotations"}},
	} {
		for _, field := range slices.Sorted(maps.Keys(at.there)) {
			if !slices.Contains(at.may, field) {
				return fmt.Errorf("%w: target.template sets %s%s, and creationPolicy: Merge puts only data, labels and annotations into it", errForeign, at.of, field)
			}
		}
	}
	return nil
}

// longestManager is how long the API server lets the name of a field manager be.
const longestManager = 128

// fieldOwner is who owns the fields that are written: each ExternalSecret for itself
// where it writes into somebody else's Secret, as several may do that.
func fieldOwner(one *esv1.ExternalSecret) string {
	if one.Spec.Target.CreationPolicy != esv1.CreateMerge {
		return manager
	}
	by := manager + "/" + one.Name
	if len(by) <= longestManager {
		return by
	}
	return fmt.Sprintf("%s/%x", manager, sha256.Sum256([]byte(one.Name)))
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
	labels[esv1.LabelManaged] = "true"
	object.SetLabels(labels)
	annotations := object.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, annotationOrphanOf)
	if spec.CreationPolicy == esv1.CreateOrphan {
		annotations[annotationOrphanOf] = string(one.UID)
	}
	if object.GetKind() == "Secret" {
		data, _, _ := unstructured.NestedMap(object.Object, "data")
		annotations[annotationKeys] = keysText(slices.Sorted(maps.Keys(data)))
		if spec.Immutable {
			object.Object["immutable"] = true
		}
	}
	if len(annotations) > 0 {
		object.SetAnnotations(annotations)
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

// clean takes keys out of a Secret that others put into it.
func (r *Reconciler) clean(ctx context.Context, one *esv1.ExternalSecret, now *unstructured.Unstructured) error {
	if one.Spec.Target.CreationPolicy == esv1.CreateMerge || now.GetKind() != "Secret" {
		return nil
	}
	data, _, _ := unstructured.NestedMap(now.Object, "data")
	keep := strings.Split(now.GetAnnotations()[annotationKeys], ",")
	gone := map[string]any{}
	for key := range data {
		if !slices.Contains(keep, key) {
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
func withoutObject(err error, object map[string]any) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err
	}
	var said []string
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			field, _, _ := strings.Cut(cause.Field, "[") // a key may be made of a value
			said = append(said, string(cause.Type)+" "+field)
		}
	}
	if len(said) > 0 {
		return fmt.Errorf("%s: %v", status.Status().Reason, said)
	}
	text := redact.NewKnown(valuesOf(object)).Text(err.Error())
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}

// leastHidden is how long a value is, in bytes, to be looked for in an error.
const leastHidden = 4

// valuesOf are the texts of an object, but for its kind and metadata, plain and in base64.
func valuesOf(object map[string]any) (all []string) {
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case string:
			if len(v) < leastHidden {
				return
			}
			all = append(all, v)
			if plain, err := base64.StdEncoding.DecodeString(v); err == nil && len(plain) >= leastHidden {
				all = append(all, string(plain))
			}
		case []any:
			for _, inner := range v {
				add(inner)
			}
		case map[string]any:
			for _, inner := range v {
				add(inner)
			}
		}
	}
	for field, v := range object {
		if field != "apiVersion" && field != "kind" && field != "metadata" {
			add(v)
		}
	}
	return all
}
