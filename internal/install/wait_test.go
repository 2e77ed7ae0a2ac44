package install

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestUntil(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "deployments"}, "web", nil)
	busy := apierrors.NewTooManyRequests("busy", 1)
	type look struct {
		missing string
		err     error
	}
	cases := map[string]struct {
		reason string
		looks  []look // the last one stays
		took   time.Duration
		says   string // empty for none
	}{
		"Done":      {"nothing is missing", []look{{}}, 0, ""},
		"Later":     {"it is looked at again", []look{{missing: "a Pod"}, {missing: "a Pod"}, {}}, 2 * poll, ""},
		"Refused":   {"to wait helps no one who has no right", []look{{err: forbidden}}, 0, "forbidden"},
		"Busy":      {"the API server takes it the next time", []look{{err: busy}, {}}, poll, ""},
		"Away":      {"what is no answer of the API server may come back", []look{{err: errors.New("connection refused")}, {}}, poll, ""},
		"Never":     {"the last that was missing is named", []look{{missing: "a Pod"}, {missing: "a Service"}}, time.Minute, "too long; the last that was waited for: a Service"},
		"NeverSeen": {"so is why nothing could be read", []look{{err: busy}}, time.Minute, "the last that was waited for: busy"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("too long"))
				defer cancel()
				began, n := time.Now(), 0
				err := Until(ctx, func(context.Context) (string, error) {
					l := tc.looks[min(n, len(tc.looks)-1)]
					n++
					return l.missing, l.err
				})
				if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
					t.Errorf("%s: got %v, want %q", tc.reason, err, tc.says)
				}
				if took := time.Since(began); took != tc.took {
					t.Errorf("%s: it took %s, want %s", tc.reason, took, tc.took)
				}
			})
		})
	}
}
