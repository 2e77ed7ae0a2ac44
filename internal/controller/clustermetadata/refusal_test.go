package clustermetadata

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestRefusalsAreOfOneSecret: what an API server has against one write keeps
// none of the others from being tried, and what it has against all of them does.
func TestRefusalsAreOfOneSecret(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	for name, tc := range map[string]struct {
		err  error
		want bool
	}{
		"not valid":               {apierrors.NewInvalid(schema.GroupKind{Kind: "Secret"}, "dev", nil), true},
		"too large":               {apierrors.NewRequestEntityTooLargeError("limit is 3145728"), true},
		"forbidden by admission":  {apierrors.NewForbidden(secrets, "dev", errors.New("denied")), true},
		"a webhook with its code": {apierrors.NewBadRequest("denied"), true},
		"a webhook that fails":    {apierrors.NewInternalError(errors.New("failed calling webhook")), true},
		"the engine is not known": {apierrors.NewUnauthorized("expired"), false},
		"the API server is busy":  {apierrors.NewTooManyRequests("wait", 1), false},
		"the API server is away":  {apierrors.NewServiceUnavailable("away"), false},
		"no answer":               {errors.New("connection refused"), false},
		"none":                    {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			err := tc.err
			if err != nil {
				err = fmt.Errorf("cannot write to cluster Secret dev: %w", err)
			}
			if got := isRefusal(err); got != tc.want {
				t.Errorf("isRefusal(%v) = %t", err, got)
			}
		})
	}
	if text := refusal(apierrors.NewBadRequest(strings.Repeat("ä", 1<<20))); len(text) > 2*mostSaid {
		t.Errorf("a status repeats %d bytes", len(text))
	}
}
