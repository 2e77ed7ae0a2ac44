package report

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

func TestClassify(t *testing.T) {
	things, kind := schema.GroupResource{Resource: "things"}, schema.GroupKind{Kind: "Thing"}
	cases := map[string]struct {
		reason string
		err    error
		want   Class
	}{
		"none":        {"no error is no class", nil, None},
		"unknown":     {"another try does no harm", errors.New("odd"), Transient},
		"cancelled":   {"the process is asked to stop, nothing is wrong", fmt.Errorf("fetch: %w", context.Canceled), Transient},
		"late":        {"what took too long may be faster the next time", context.DeadlineExceeded, Transient},
		"late inside": {"a time that ran out counts more than what it ran out on", gitops.Problemf(gitops.Refused, "no: %w", context.DeadlineExceeded), Transient},
		"invalid":     {"only a change of the input helps", gitops.Problemf(gitops.Invalid, "bad"), Terminal},
		"missing":     {"a new commit or spec wakes it", gitops.Problemf(gitops.NotFound, "no"), Terminal},
		"unreachable": {"a host may come back by itself", gitops.Problemf(gitops.Unreachable, "no"), Transient},
		"refused":     {"credentials have to change", gitops.Problemf(gitops.Refused, "no"), Denied},
		"forbidden":   {"the project has to change", gitops.Problemf(gitops.Forbidden, "no"), Denied},
		"not ready":   {"its dependency's arrival is watched", gitops.Problemf(gitops.NotReady, "no"), Waiting},
		"wrapped":     {"the kind is found below other texts", fmt.Errorf("a: %w", fmt.Errorf("b: %w", gitops.Problemf(gitops.Invalid, "bad"))), Terminal},
		"rbac":        {"the API server denies", apierrors.NewForbidden(things, "a", errors.New("no")), Denied},
		"token":       {"the API server does not know us", apierrors.NewUnauthorized("no"), Denied},
		"schema":      {"the API server finds the object wrong", apierrors.NewInvalid(kind, "a", nil), Terminal},
		"bad":         {"the API server does not understand", apierrors.NewBadRequest("no"), Terminal},
		"conflict":    {"somebody was faster", apierrors.NewConflict(things, "a", errors.New("no")), Transient},
		"busy":        {"the API server asks for patience", apierrors.NewTooManyRequests("no", 1), Transient},
	}
	for label, c := range cases {
		t.Run(label, func(t *testing.T) {
			if got := Classify(c.err); got != c.want {
				t.Errorf("%s: Classify(%v) = %q, want %q", c.reason, c.err, got, c.want)
			}
		})
	}
}

func TestEveryKindOfProblemHasAClass(t *testing.T) {
	for kind := gitops.Invalid; kind <= gitops.NotReady; kind++ {
		if classOfKind[kind] == None {
			t.Errorf("problems of kind %d have no class, so they would count as success", kind)
		}
	}
}
