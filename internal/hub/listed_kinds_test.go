package hub

import (
	"context"
	"errors"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// served is a hub that serves a kind, or says why not.
type served struct{ err error }

func (s served) RESTMapping(schema.GroupKind, ...string) (*meta.RESTMapping, error) {
	return nil, s.err
}

// reviewer answers whether something may be listed, and keeps what was asked.
type reviewer struct {
	allowed bool
	err     error
	asked   *authorizationv1.ResourceAttributes
}

func (r *reviewer) Create(_ context.Context, review *authorizationv1.SelfSubjectAccessReview, _ metav1.CreateOptions) (*authorizationv1.SelfSubjectAccessReview, error) {
	r.asked = review.Spec.ResourceAttributes
	answer := review.DeepCopy()
	answer.Status.Allowed = r.allowed
	return answer, r.err
}

// TestKindsThatCanBeListed: a kind that is lacking is no error, and one of which nothing
// is known is.
func TestKindsThatCanBeListed(t *testing.T) {
	resource := schema.GroupResource{Resource: "clusters"}
	for name, tc := range map[string]struct {
		reason  string
		kinds   error
		allowed bool
		review  error
		want    bool
		says    string
	}{
		"Served":    {"it is there, and may be listed", nil, true, nil, true, ""},
		"Forbidden": {"a right may be given later", nil, false, nil, false, ""},
		"Unasked":   {"who may not even ask has no right", nil, false, apierrors.NewForbidden(resource, "", errors.New("no")), false, ""},
		"Lacking":   {"a definition may come later", &meta.NoKindMatchError{GroupKind: causeway.ClusterGVK.GroupKind()}, true, nil, false, ""},
		"Unknown":   {"a hub that does not say what it serves may serve it", errors.New("gone"), true, nil, false, "cannot tell whether the hub serves Cluster: gone"},
		"Unclear":   {"a hub that does not answer has refused nothing", nil, true, errors.New("gone"), false, "cannot ask whether Cluster may be listed: gone"},
	} {
		r := &reviewer{allowed: tc.allowed, err: tc.review}
		got, err := Lists(t.Context(), served{tc.kinds}, r, "argocd", causeway.ClusterGVK, "clusters")
		if got != tc.want || (err != nil) != (tc.says != "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %s: %t, %v", name, tc.reason, got, err)
		}
		want := authorizationv1.ResourceAttributes{Namespace: "argocd", Verb: "list", Group: causeway.Group, Version: causeway.ClusterGVK.Version, Resource: "clusters"}
		if tc.kinds == nil && *r.asked != want {
			t.Errorf("%s: it was asked for %+v", name, r.asked)
		}
		if tc.kinds != nil && r.asked != nil {
			t.Errorf("%s: it was asked for what is not served", name)
		}
	}
}
