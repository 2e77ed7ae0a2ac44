package scenario

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/app"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/install"
	"github.com/causeway-gitops/causeway/test/await"
)

const control = "argocd"

// hub is a control plane on which nothing happens to workloads by itself.
var hub *rest.Config

func TestMain(m *testing.M) {
	os.Exit(embeddedtest.MainWith(m, embedded.Options{APIOnly: true}, func(c *embedded.Cluster) (err error) {
		hub, err = c.RESTConfig()
		return err
	}))
}

// bed is everything that the stories share.
type bed struct {
	client.Client

	git    *gitServer
	writes *recorder
	mirror *mirror
}

// widgets is a kind whose health is told by the settings.
const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.sim.test}
spec:
  group: sim.test
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// settings are those of argocd-cm: what Argo CD's own installation excludes,
// as far as the stories meet it, and the health of widgets.
func settings() map[string]string {
	return map[string]string{
		"resource.exclusions": `
- apiGroups: ["", discovery.k8s.io]
  kinds: [Endpoints, EndpointSlice]
- apiGroups: [coordination.k8s.io]
  kinds: [Lease]
- apiGroups: [authentication.k8s.io, authorization.k8s.io]
  kinds: [SelfSubjectReview, TokenReview, LocalSubjectAccessReview, SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview]
- apiGroups: [certificates.k8s.io]
  kinds: [CertificateSigningRequest]
`,
		"resource.customizations.health.sim.test_Widget": `
local health = {status = "Progressing", message = "nothing is said"}
if obj.spec ~= nil and obj.spec.health ~= nil then
  health.status = obj.spec.health
  health.message = "spec.health says so"
end
return health
`,
	}
}

// lay prepares the control plane and starts an engine on it.
func lay(t *testing.T) *bed {
	t.Helper()
	b := &bed{git: serveGit(t), writes: record(t, hub)}
	driver := rest.CopyConfig(hub)
	driver.UserAgent = "driver"
	var err error
	if b.Client, err = client.New(driver, client.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := install.Definitions(t.Context(), driver); err != nil {
		t.Fatal(err)
	}
	b.install(t)
	b.mirror = watch(t, driver)
	simulate(t, b)
	b.run(t)
	return b
}

// install makes what the stories take for granted.
func (b *bed) install(t *testing.T) {
	t.Helper()
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(widgets), &crd.Object); err != nil {
		t.Fatal(err)
	}
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: control}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: control, Name: "argocd-cm"}, Data: settings()},
		crd,
	} {
		if err := b.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		list := &unstructured.UnstructuredList{}
		list.SetAPIVersion("sim.test/v1")
		list.SetKind("WidgetList")
		return b.List(ctx, list)
	})
}

// run runs the engine until the test ends.
func (b *bed) run(t *testing.T) {
	t.Helper()
	level := slog.LevelError
	if os.Getenv("CAUSEWAY_SCENARIOS") != "" {
		level = slog.LevelInfo
	}
	engine, err := app.New(app.Config{
		Hub: &rest.Config{Host: b.writes.url}, Namespace: control, CacheDir: t.TempDir(), Interval: time.Hour, StopWithin: await.Limit,
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- engine.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the engine ended: %v", err)
		}
	})
}

// set gives the installation more settings, until the returned call.
func (b *bed) set(ctx context.Context, more map[string]string) (undo func() error, err error) {
	write := func(data map[string]string) error {
		cm := &corev1.ConfigMap{}
		if err := b.Get(ctx, client.ObjectKey{Namespace: control, Name: "argocd-cm"}, cm); err != nil {
			return err
		}
		cm.Data = data
		return b.Update(ctx, cm)
	}
	data := settings()
	for key, value := range more {
		data[key] = value
	}
	if err := write(data); err != nil {
		return nil, fmt.Errorf("cannot change the settings: %w", err)
	}
	return func() error { return write(settings()) }, nil
}

// gone reports whether an error is about something that is not there.
func gone(err error) bool { return apierrors.IsNotFound(err) }
