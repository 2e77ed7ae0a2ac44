package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

const rotated = storeAndSecret + `---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  annotations: {secrets.causeway.io/restart: "true"}
spec:
  replicas: 1
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
      - {name: main, image: registry.example.com/shop, envFrom: [{secretRef: {name: database}}]}
`

// TestRotationIsNoDrift: a workload that is restarted for its Secret is as Git says, and is not healed back.
func TestRotationIsNoDrift(t *testing.T) {
	e := start(t, map[string]string{"app/app.yaml": rotated}, func(c *Config) { c.Secrets = true })
	e.app("app", "app")
	e.until("app", "Synced and Healthy", good)
	e.write("app/app.yaml", strings.Replace(rotated, "hunter22", "hunter33", 1))
	e.secretHas("database", "password", "hunter33")
	d := &appsv1.Deployment{}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		if err := e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: "shop"}, d); err != nil {
			return err
		}
		if d.Spec.Template.Annotations["secrets.causeway.io/restarted-for"] == "" {
			return errors.New("it is not restarted")
		}
		return nil
	})
	e.until("app", "Synced and Healthy", good)
	e.looksAt("app")
	if app := e.until("app", "Synced and Healthy", good); len(app.Status.Conditions) > 0 {
		t.Errorf("the conditions are %+v", app.Status.Conditions)
	}
	now := &appsv1.Deployment{}
	if err := e.Get(t.Context(), types.NamespacedName{Namespace: e.namespace, Name: "shop"}, now); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(now.Spec.Template.Annotations), fmt.Sprint(d.Spec.Template.Annotations); got != want || now.Generation != d.Generation {
		t.Errorf("the restart was taken back: %s at generation %d, before %s at %d", got, now.Generation, want, d.Generation)
	}
}
