package app

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// TestPatchOfAnotherApplicationOfTheName has the API server refuse a patch that names the UID of an Application that
// is no longer there: what reports and sets write goes by that.
func TestPatchOfAnotherApplicationOfTheName(t *testing.T) {
	e := start(t, map[string]string{"app/a.yaml": configMapV1})
	app := e.app("app", "app", byHand)
	patch := func(uid types.UID) error {
		body := `{"metadata":{"uid":"` + string(uid) + `"},"status":{"sourceType":"Helm"}}`
		return e.Patch(t.Context(), &v1alpha1.Application{ObjectMeta: app.ObjectMeta}, client.RawPatch(types.MergePatchType, []byte(body)))
	}
	if err := patch("of-the-one-before"); !apierrors.IsInvalid(err) && !apierrors.IsConflict(err) {
		t.Errorf("a patch for another Application of its name: %v", err)
	}
	if err := patch(app.UID); err != nil {
		t.Errorf("a patch for the Application: %v", err)
	}
}
