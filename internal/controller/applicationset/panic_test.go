package applicationset

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/crew"
	"github.com/causeway-gitops/causeway/internal/generate"
)

// faulty panics at a write, and deletes.
type faulty struct{ client.Client }

func (faulty) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	panic("a fault")
}

func (faulty) Delete(context.Context, client.Object, ...client.DeleteOption) error { return nil }

// TestPanicOfAWrite is a failure of the set that is tried again, and the echo of the
// write is waited for no longer.
func TestPanicOfAWrite(t *testing.T) {
	set := &v1alpha1.ApplicationSet{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "addons"}}
	shop := v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "shop", UID: "uid-1", ResourceVersion: "7"}}
	old := shop
	old.Name = "old"
	r := New(Options{Client: faulty{}, Readers: NewReaders(), Log: slog.New(slog.DiscardHandler)})
	changes := &generate.Changes{Update: []v1alpha1.Application{shop}, Delete: []v1alpha1.Application{old}}
	left, out := r.apply(t.Context(), set, []v1alpha1.Application{shop, old}, changes)
	var broke *crew.Panic
	if len(out.failed) != 1 || !errors.As(out.failed[0], &broke) || !out.unsure {
		t.Errorf("the set failed by %v, unsure %t", out.failed, out.unsure)
	}
	if len(left) != 1 || left[0].Name != "shop" {
		t.Errorf("the other one was not deleted: %v", left)
	}
}
