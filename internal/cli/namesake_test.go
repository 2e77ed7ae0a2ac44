package cli

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// An application of another namespace is deleted, and not its namesake in the
// control namespace.
func TestDeletionOfANamesake(t *testing.T) {
	h := newWaitHub(t)
	elsewhere := *h
	elsewhere.namespace = embeddedtest.Namespace(t, embeddedtest.Config(t, shared))
	h.create("shop", clitest.Settled())
	elsewhere.create("shop", clitest.Settled())
	h.begin("delete", elsewhere.namespace+"/shop", "--yes", "--wait").ends(command.ExitFine, "application "+elsewhere.namespace+"/shop in dev", elsewhere.namespace+"/shop: gone")
	if h.read("shop").DeletionTimestamp != nil {
		t.Error("the application of the control namespace is deleted")
	}
	gone := elsewhere.client.Get(t.Context(), client.ObjectKey{Namespace: elsewhere.namespace, Name: "shop"}, &v1alpha1.Application{})
	if !apierrors.IsNotFound(gone) {
		t.Errorf("the one that was named is there: %v", gone)
	}
}
