package lookup

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// Settings reads ConfigMaps and Secrets by name, and not out of a cache: the
// engine must not hold all of them.
type Settings struct{ Reader client.Reader }

// ConfigMap reads the data of a ConfigMap.
func (s Settings) ConfigMap(ctx context.Context, namespace, name string) (map[string]string, error) {
	m := &corev1.ConfigMap{}
	if err := s.Reader.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, m); err != nil {
		return nil, unreadable("ConfigMap", namespace, name, err)
	}
	return m.Data, nil
}

// SecretKey reads one value of a Secret.
func (s Settings) SecretKey(ctx context.Context, namespace, name, key string) (string, error) {
	secret := &corev1.Secret{}
	if err := s.Reader.Get(ctx, types.NamespacedName{Namespace: namespace, Name: name}, secret); err != nil {
		return "", unreadable("Secret", namespace, name, err)
	}
	value, ok := secret.Data[key]
	if !ok {
		return "", gitops.Problemf(gitops.NotFound, "Secret %s in namespace %s has no key %q", name, namespace, key).
			Do("add the key, or correct the reference to it")
	}
	return string(value), nil
}

// unreadable tells what can be done about an object that cannot be read.
func unreadable(kind, namespace, name string, err error) error {
	p := gitops.Problemf(gitops.Unreachable, "cannot read %s %s in namespace %s: %w", kind, name, namespace, err)
	switch {
	case apierrors.IsNotFound(err):
		p.Kind, p.What = gitops.NotFound, fmt.Sprintf("%s %s does not exist in namespace %s", kind, name, namespace)
		return p.Do("create it, or correct the reference to it")
	case apierrors.IsForbidden(err):
		p.Kind = gitops.Refused
		return p.Do("let the engine's role get it")
	default:
		return p
	}
}

// Objects reads what other controllers decided.
type Objects struct {
	Reader client.Reader
	Kinds  meta.RESTMapper
}

// List takes the plural name of a resource, as Argo CD does, or a kind.
func (o Objects) List(ctx context.Context, namespace string, q generate.Query) ([]unstructured.Unstructured, error) {
	gvk, err := o.Kinds.KindFor(schema.GroupVersionResource{Group: q.Group, Version: q.Version, Resource: strings.ToLower(q.Kind)})
	if meta.IsNoMatchError(err) {
		gvk, err = schema.GroupVersionKind{Group: q.Group, Version: q.Version, Kind: q.Kind}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot tell whether the hub serves %s: %w", q.Kind, err)
	}
	if q.Name != "" {
		return o.named(ctx, gvk, types.NamespacedName{Namespace: namespace, Name: q.Name})
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	err = o.Reader.List(ctx, list, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: q.Labels})
	return list.Items, Unserved(gvk, namespace, err)
}

func (o Objects) named(ctx context.Context, gvk schema.GroupVersionKind, name types.NamespacedName) ([]unstructured.Unstructured, error) {
	object := unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	err := o.Reader.Get(ctx, name, &object)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, Unserved(gvk, name.Namespace, err)
	}
	return []unstructured.Unstructured{object}, nil
}

// Unserved is why the hub does not let objects of a kind be read, with what can be
// done about it; nil where there is no error.
func Unserved(gvk schema.GroupVersionKind, namespace string, err error) error {
	switch {
	case err == nil:
		return nil
	case meta.IsNoMatchError(err):
		return gitops.Problemf(gitops.NotFound, "the hub does not serve %s (%s)", gvk.Kind, gvk.GroupVersion()).
			Do("install its CustomResourceDefinition, or correct apiVersion and kind")
	case apierrors.IsForbidden(err):
		return gitops.Problemf(gitops.Refused, "cannot read %s (%s) in namespace %s: %w", gvk.Kind, gvk.GroupVersion(), namespace, err).
			Do("let the engine's role get and list them")
	default:
		return err
	}
}
