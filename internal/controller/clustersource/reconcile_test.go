package clustersource

import (
	"context"
	"log/slog"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// oneSource is a hub with one ClusterSource, whose status it takes.
type oneSource struct {
	client.WithWatch

	source *causeway.ClusterSource
}

// Get implements client.Reader.
func (h *oneSource) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	h.source.DeepCopyInto(into.(*causeway.ClusterSource)) //nolint:forcetypeassert // nothing else is asked for
	return nil
}

// Status implements client.StatusClient.
func (h *oneSource) Status() client.SubResourceWriter { return statusOf{hub: h} }

// statusOf is that of its ClusterSource.
type statusOf struct {
	client.SubResourceWriter

	hub *oneSource
}

// Patch implements client.SubResourceWriter.
func (s statusOf) Patch(_ context.Context, o client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	s.hub.source = o.(*causeway.ClusterSource).DeepCopy() //nolint:forcetypeassert // as above
	return nil
}

// TestNumberOfClusters: a selector that cannot be used leaves the clusters, and
// how many they are.
func TestNumberOfClusters(t *testing.T) {
	source := &causeway.ClusterSource{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "fleet", Generation: 2}}
	source.Spec.VCluster = &causeway.SecretScope{Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "env", Operator: "Among"}}}}
	source.Status.Clusters = 7
	h := &oneSource{source: source}
	r := New(Options{Objects: h, Hub: h, Namespace: "argocd", Log: slog.New(slog.DiscardHandler)})
	if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "argocd", Name: "fleet"}}); err != nil {
		t.Fatal(err)
	}
	if got := h.source.Status; got.Clusters != 7 || got.ObservedGeneration != 2 || !meta.IsStatusConditionFalse(got.Conditions, causeway.ConditionReady) {
		t.Errorf("the status is %+v", got)
	}
}
