package clustermetadata

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/test/await"
)

// TestPanicOfAQuestion is its answer, and leaves its place to others.
func TestPanicOfAQuestion(t *testing.T) {
	facts := func(_ context.Context, secret, _ string, _ []causeway.ClusterFact) (*Told, error) {
		if secret == "c0" {
			return &Told{Version: "1.36.3"}, nil
		}
		panic("a fault")
	}
	r := askingOf(t, await.Limit, facts, func(types.NamespacedName) {})
	object := &causeway.ClusterMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "a"}}
	all := clusterSecrets(2 * asking)
	told := r.ask(t.Context(), object, nodeCount(), all[1:])
	var broke *crew.Panic
	for _, one := range all[1:] {
		if got := told[one.UID]; !errors.As(got.err, &broke) {
			t.Errorf("cluster %s told %+v", one.Name, got)
		}
	}
	if got := r.ask(t.Context(), object, nodeCount(), all[:1])["c0"]; got.err != nil {
		t.Errorf("another cluster told %+v", got)
	}
}
