package app

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// TestSettledSetSeesWhatPeopleDo changes what a set has nothing to do with
// until somebody interferes: requests, owners, and an application that comes
// out of a backup.
func TestSettledSetSeesWhatPeopleDo(t *testing.T) {
	e := start(t, map[string]string{"app/Chart.yaml": chartYAML, "app/templates/cm.yaml": chartTemplate})
	e.set("quiet", "[{list: {elements: [{name: one}]}}]", "{{name}}", "a")
	e.untilShows("one", "a")
	for range 3 { // the second one and the third find a set in which nothing changes
		e.refresh("quiet")
	}

	app, err := e.generated("one")
	if err != nil {
		t.Fatal(err)
	}
	orphan := client.RawPatch(types.MergePatchType, []byte(`{"metadata": {"ownerReferences": null}}`))
	if err := e.Patch(t.Context(), app.DeepCopy(), orphan); err != nil {
		t.Fatal(err)
	}
	embeddedtest.Eventually(t, func(context.Context) error {
		now, err := e.generated("one")
		if err == nil && len(now.OwnerReferences) == 0 {
			err = errors.New("nobody owns the application")
		}
		return err
	})

	back := &v1alpha1.Application{ObjectMeta: metav1.ObjectMeta{Namespace: e.namespace, Name: e.namespace + "-old", OwnerReferences: app.OwnerReferences}, Spec: app.Spec}
	if err := e.Create(t.Context(), back); err != nil {
		t.Fatal(err)
	}
	e.untilGone("old")
}
