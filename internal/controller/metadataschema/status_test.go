package metadataschema

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// refusing is a hub that answers each question alike. It takes the status, and what
// people are told.
type refusing struct {
	client.Client

	cache  *objects
	answer error
	// stop is called with each question.
	stop   func()
	writes int
	told   []string
}

func (h *refusing) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	h.stop()
	return h.answer
}

func (h *refusing) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return nil
}

func (h *refusing) Status() client.SubResourceWriter { return statusWriter{hub: h} }

// Event implements report.Events.
func (h *refusing) Event(_ client.Object, _, reason, _ string) { h.told = append(h.told, reason) }

type statusWriter struct {
	client.SubResourceWriter

	hub *refusing
}

func (w statusWriter) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	w.hub.writes++
	w.hub.cache.schema = o.(*causeway.MetadataSchema).DeepCopy() //nolint:forcetypeassert // nothing else has one
	return nil
}

// TestStatusIsWrittenOnce, with all that there is to tell, and not again while that is
// the same.
func TestStatusIsWrittenOnce(t *testing.T) {
	policies := schema.GroupResource{Resource: "validatingadmissionpolicies"}
	gone := apierrors.NewNotFound(policies, "a")
	rules := []causeway.MetadataRule{{Key: "environment", In: causeway.PlaceLabel, Required: true}}
	for name, tc := range map[string]struct {
		reason       string
		keys         []causeway.MetadataRule
		answer       error
		stops, again bool
		want         map[string]string // the reasons of conditions
		told         []string
		violations   int32
	}{
		"Enforced":  {reason: "nothing is to be enforced", answer: gone, want: map[string]string{"Valid": "Valid", "Ready": "Enforced"}},
		"Forbidden": {reason: "to try again does not help", keys: rules, answer: apierrors.NewForbidden(policies, "a", nil), want: map[string]string{"Valid": "Valid", "Ready": "Forbidden"}, told: []string{"Forbidden"}, violations: 1},
		"Failed":    {reason: "it is tried again, and people see why", keys: rules, answer: errors.New("connection refused"), again: true, want: map[string]string{"Valid": "Valid", "Ready": "Failed"}, told: []string{"Failed"}, violations: 1},
		"Invalid":   {reason: "nothing is asked of the hub", keys: []causeway.MetadataRule{{Key: "a", Pattern: "("}}, want: map[string]string{"Valid": "Invalid"}, told: []string{"Invalid"}},
		"Stops":     {reason: "the next engine looks again", keys: rules, answer: errors.New("stopped"), stops: true},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			cache := &objects{schema: &causeway.MetadataSchema{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "fleet"}, Spec: causeway.MetadataSchemaSpec{Keys: tc.keys}}}
			h := &refusing{cache: cache, answer: tc.answer, stop: func() {}}
			if tc.stops {
				h.stop = cancel
			}
			r := New(Options{Objects: cache, Hub: h, Namespace: "argocd", Events: h, Clusters: func() []gitops.Cluster { return []gitops.Cluster{{Name: "dev", Secret: "dev"}} }})
			for range 2 {
				if _, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(cache.schema)}); (err != nil) != tc.again {
					t.Errorf("%s: it goes on with %v", tc.reason, err)
				}
			}
			got := map[string]string{}
			for _, c := range cache.schema.Status.Conditions {
				got[c.Type] = c.Reason
			}
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: conditions (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.told, h.told); diff != "" {
				t.Errorf("%s: events (-want +got):\n%s", tc.reason, diff)
			}
			if want := min(len(tc.want), 1); h.writes != want || cache.schema.Status.Violations != tc.violations {
				t.Errorf("%s: %d writes, want %d; %d violations are told", tc.reason, h.writes, want, cache.schema.Status.Violations)
			}
		})
	}
}
