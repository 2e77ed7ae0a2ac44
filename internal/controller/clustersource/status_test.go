package clustersource

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// counting is a hub that lists cluster Secrets as it is told to, and counts the writes
// of the status.
type counting struct {
	*oneSource

	list   func() error
	writes int
}

// List implements client.Reader.
func (h *counting) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return h.list()
}

// Status implements client.StatusClient.
func (h *counting) Status() client.SubResourceWriter {
	h.writes++
	return h.oneSource.Status()
}

// TestFailuresAreInTheStatus: what the engine tries again is told, once, and leaves how
// many clusters are kept, which nobody knows then.
func TestFailuresAreInTheStatus(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		list   error
		ends   bool // the engine stops meanwhile
		want   causeway.ClusterSourceStatus
		writes int
	}{
		"Failed":  {"it is tried again, and people see why", errors.New("the cache is away"), false, followedBefore("Failed", "cannot list cluster Secrets: the cache is away"), 1},
		"Stops":   {"the next engine looks again", errors.New("stopped"), true, followedBefore("Followed", "7 clusters are kept"), 0},
		"Nothing": {"there are none any more", nil, false, causeway.ClusterSourceStatus{Conditions: ready("Followed", "0 clusters are kept")}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			source := &causeway.ClusterSource{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "fleet"}}
			source.Spec.VCluster, source.Status = &causeway.SecretScope{}, followedBefore("Followed", "7 clusters are kept")
			h := &counting{oneSource: &oneSource{source: source}, list: func() error {
				if tc.ends {
					cancel()
				}
				return tc.list
			}}
			r := New(Options{Objects: h, Hub: h, Namespace: "argocd", Log: slog.New(slog.DiscardHandler)})
			for range 2 { // what is told already is not written again
				if _, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "argocd", Name: "fleet"}}); (err != nil) != (tc.list != nil && !tc.ends) {
					t.Errorf("%s: it goes on with %v", tc.reason, err)
				}
			}
			got, want := h.source.Status, tc.want
			is, was := meta.FindStatusCondition(got.Conditions, causeway.ConditionReady), want.Conditions[0]
			if got.Clusters != want.Clusters || is == nil || is.Reason != was.Reason || is.Status != was.Status || is.Message != was.Message || h.writes != tc.writes {
				t.Errorf("%s: after %d writes the status is %+v, want %+v", tc.reason, h.writes, got, want)
			}
		})
	}
}

// followedBefore is the status of a source that kept 7 clusters.
func followedBefore(reason, message string) causeway.ClusterSourceStatus {
	return causeway.ClusterSourceStatus{Clusters: 7, Conditions: ready(reason, message)}
}

func ready(reason, message string) []metav1.Condition {
	is := metav1.ConditionFalse
	if reason == "Followed" {
		is = metav1.ConditionTrue
	}
	return []metav1.Condition{{Type: causeway.ConditionReady, Status: is, Reason: reason, Message: message}}
}

// Why nothing could be done comes before what is wrong with single kubeconfigs, however
// many these are.
func TestFailureIsToldFirst(t *testing.T) {
	out := (&Reconciler{}).begin(&causeway.ClusterSource{})
	for range 2 * mostShown {
		out.problemf("Secret team/a: no kubeconfig")
	}
	if err := out.failed(errors.New("forbidden")); err == nil {
		t.Error("it is not tried again")
	}
	c := meta.FindStatusCondition(out.source.Status.Conditions, causeway.ConditionReady)
	if c == nil || !strings.HasPrefix(c.Message, "forbidden\nSecret team/a: ") || !strings.HasSuffix(c.Message, "\nand 10 more problems") {
		t.Errorf("it is told %+v", c)
	}
}
