package clustermetadata

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/controller/wake"
)

func TestConcernedAreThoseThatAreGoneToo(t *testing.T) {
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", ManagedFields: []metav1.ManagedFieldsEntry{
		{Manager: "terraform"}, {Manager: "causeway-metadata:there"}, {Manager: "causeway-metadata:gone"},
	}}}
	there := []causeway.ClusterMetadata{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "other"}}, {ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "there"}},
	}
	want := []types.NamespacedName{{Namespace: "argocd", Name: "other"}, {Namespace: "argocd", Name: "there"}, {Namespace: "argocd", Name: "gone"}}
	if diff := cmp.Diff(want, Concerned(secret, there)); diff != "" {
		t.Errorf("a write that the cache did not know yet when its ClusterMetadata was deleted stays forever (-want +got):\n%s", diff)
	}
}

// hub has one cluster Secret, and counts what is written.
type hub struct {
	client.WithWatch

	writes int
}

func (h *hub) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*corev1.SecretList).Items = []corev1.Secret{{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "dev", UID: "1"}}}
	return nil
}

func (h *hub) Apply(context.Context, runtime.ApplyConfiguration, ...client.ApplyOption) error {
	h.writes++
	return nil
}

// TestValuesThatChangeWithoutEnd are written at once, and then after a pause: each
// write of a cluster has sets expanded. Who writes something else does not wait.
func TestValuesThatChangeWithoutEnd(t *testing.T) {
	const burst, pause = 3, time.Hour
	at := &hub{}
	r := &Reconciler{Options: Options{Objects: at, Hub: at, Writes: wake.NewPace[Write](burst, pause)}, asked: newAnswers(nil, nil, 0)}
	t.Cleanup(r.asked.stop)
	object := func(name, value string) *causeway.ClusterMetadata {
		return &causeway.ClusterMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: name}, Spec: causeway.ClusterMetadataSpec{
			Clusters: causeway.ClusterSelector{MatchAll: true}, Values: []causeway.MetadataValue{{Key: "a", Value: &value}},
		}}
	}
	for i := range 100 {
		out, err := r.write(t.Context(), object("flips", strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		if waits := out.again > 0; waits != (i >= burst) || out.again > pause {
			t.Fatalf("change %d waits %s", i, out.again)
		}
	}
	if at.writes != burst {
		t.Errorf("%d changes were written, want %d", at.writes, burst)
	}
	if _, err := r.write(t.Context(), object("other", "a")); err != nil || at.writes != burst+1 {
		t.Errorf("what another one writes waits as well: %v", err)
	}
}
