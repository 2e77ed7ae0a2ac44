package hub

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kinds are the kinds that a hub serves.
type Kinds interface {
	RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error)
}

// Reviews asks a hub what who asks may do.
type Reviews interface {
	Create(ctx context.Context, review *authorizationv1.SelfSubjectAccessReview, opts metav1.CreateOptions) (*authorizationv1.SelfSubjectAccessReview, error)
}

// Lists reports whether a hub serves a kind, and lets who asks list its objects in a
// namespace. A cache of a kind for which it does not hold would never be complete.
func Lists(ctx context.Context, kinds Kinds, reviews Reviews, namespace string, kind schema.GroupVersionKind, resource string) (bool, error) {
	_, err := kinds.RESTMapping(kind.GroupKind(), kind.Version)
	if meta.IsNoMatchError(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot tell whether the hub serves %s: %w", kind.Kind, err)
	}
	answer, err := reviews.Create(ctx, &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "list", Group: kind.Group, Version: kind.Version, Resource: resource},
	}}, metav1.CreateOptions{})
	if apierrors.IsForbidden(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot ask whether %s may be listed: %w", kind.Kind, err)
	}
	return answer.Status.Allowed, nil
}
