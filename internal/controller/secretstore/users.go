package secretstore

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/secrets/usage"
)

// Users finds out who uses a store, whoever serves it: without the store, they get no value any more. The zero value works.
type Users struct{}

// usersOf are the kinds that use stores, each with the versions that a cluster may have, the newest first.
var usersOf = []struct {
	kind     string
	versions []string
	uses     func(*unstructured.Unstructured) ([]esv1.SecretStoreRef, error)
}{
	{esv1.ExternalSecretKind, []string{"v1", "v1beta1"}, fetches},
	{"PushSecret", []string{"v1alpha1"}, pushes},
}

// Of are the objects that use a store, of those that list gives; none of what is no store.
func (Users) Of(ctx context.Context, list func(context.Context, schema.GroupVersionKind, string) ([]unstructured.Unstructured, error), key gitops.Key) ([]unstructured.Unstructured, error) {
	if key.Group != esv1.Group || key.Kind != esv1.SecretStoreKind && key.Kind != esv1.ClusterSecretStoreKind {
		return nil, nil
	}
	var out []unstructured.Unstructured
	for _, of := range usersOf {
		all, err := newest(ctx, list, of.kind, of.versions, key.Namespace)
		if err != nil {
			return nil, fmt.Errorf("cannot list objects of the kind %s: %w", of.kind, err)
		}
		for i := range all {
			refs, err := of.uses(&all[i])
			if err != nil {
				return nil, fmt.Errorf("cannot read %s: %w", gitops.KeyOf(&all[i]), err)
			}
			if names(refs, all[i].GetNamespace(), key) {
				out = append(out, all[i])
			}
		}
	}
	return out, nil
}

// newest are the objects of a kind by the first of some versions that a cluster has; none where it has none of them.
func newest(ctx context.Context, list func(context.Context, schema.GroupVersionKind, string) ([]unstructured.Unstructured, error), kind string, versions []string, namespace string) ([]unstructured.Unstructured, error) {
	for _, version := range versions {
		all, err := list(ctx, schema.GroupVersionKind{Group: esv1.Group, Version: version, Kind: kind}, namespace)
		if gitops.IsProblem(err, gitops.NotReady, gitops.NotFound) { // the cluster does not serve this version
			continue
		}
		return all, err
	}
	return nil, nil
}

func names(refs []esv1.SecretStoreRef, namespace string, store gitops.Key) bool {
	for _, ref := range refs {
		if (ref.Kind == esv1.ClusterSecretStoreKind) == (store.Kind == esv1.ClusterSecretStoreKind) &&
			usage.StoreKey(namespace, ref) == (types.NamespacedName{Namespace: store.Namespace, Name: store.Name}) {
			return true
		}
	}
	return false
}

func fetches(o *unstructured.Unstructured) ([]esv1.SecretStoreRef, error) {
	var one esv1.ExternalSecret
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &one); err != nil {
		return nil, err
	}
	return usage.Stores(&one), nil
}

// pushes are the stores that a PushSecret names; those that it selects by labels are not known by their names.
func pushes(o *unstructured.Unstructured) ([]esv1.SecretStoreRef, error) {
	all, _, err := unstructured.NestedSlice(o.Object, "spec", "secretStoreRefs")
	if err != nil {
		return nil, err
	}
	var out []esv1.SecretStoreRef
	for _, ref := range all {
		fields, _ := ref.(map[string]any)
		name, _ := fields["name"].(string)
		kind, _ := fields["kind"].(string)
		if name != "" {
			out = append(out, esv1.SecretStoreRef{Name: name, Kind: kind})
		}
	}
	return out, nil
}
