package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/inspect"
)

const actedWorkloads = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  serviceName: db
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: main, image: registry.example.com/db}]}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: main, image: registry.example.com/agent}]}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 0 1 1 *"
  jobTemplate: {metadata: {labels: {of: report}}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: registry.example.com/report}]}}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: plain}
`

// TestActions runs actions on live objects of an Application, by what ships
// and by what the installation says.
func TestActions(t *testing.T) {
	e := start(t, map[string]string{"app/web.yaml": deployment("web", "0", ""), "app/more.yaml": actedWorkloads})
	e.app("app", "app", func(app *v1alpha1.Application) { app.Spec.SyncPolicy.Automated.SelfHeal = nil })
	app := e.until("app", "synced", func(app *v1alpha1.Application) bool {
		return app.Status.OperationState != nil && app.Status.OperationState.Phase == v1alpha1.OperationSucceeded
	})
	inspector := e.inspect()
	object := func(gvk schema.GroupVersionKind, name string) inspect.Act {
		return inspect.Act{Object: gitops.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: e.namespace, Name: name}, Version: gvk.Version}
	}
	apps := schema.GroupVersion{Group: "apps", Version: "v1"}
	batch := schema.GroupVersion{Group: "batch", Version: "v1"}
	cases := []struct {
		reason, action string
		of             inspect.Act
		parameters     map[string]string
		made           schema.GroupVersionKind // the kind of the last change
		path, want     string                  // a field of it
	}{
		{"a restart marks the pods", "restart", object(apps.WithKind("Deployment"), "web"), nil, apps.WithKind("Deployment"), "spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt]", "*"},
		{"a pause sets a flag", "pause", object(apps.WithKind("Deployment"), "web"), nil, apps.WithKind("Deployment"), "spec.paused", "true"},
		{"a resume takes it back", "resume", object(apps.WithKind("Deployment"), "web"), nil, apps.WithKind("Deployment"), "spec.paused", "<nil>"},
		{"a number of replicas", "scale", object(apps.WithKind("Deployment"), "web"), map[string]string{"replicas": "3"}, apps.WithKind("Deployment"), "spec.replicas", "3"},
		{"a StatefulSet's restart", "restart", object(apps.WithKind("StatefulSet"), "db"), nil, apps.WithKind("StatefulSet"), "spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt]", "*"},
		{"a StatefulSet's replicas", "scale", object(apps.WithKind("StatefulSet"), "db"), map[string]string{"replicas": "2"}, apps.WithKind("StatefulSet"), "spec.replicas", "2"},
		{"a DaemonSet's restart", "restart", object(apps.WithKind("DaemonSet"), "agent"), nil, apps.WithKind("DaemonSet"), "spec.template.metadata.annotations[kubectl.kubernetes.io/restartedAt]", "*"},
		{"a Job out of a CronJob", "create-job", object(batch.WithKind("CronJob"), "report"), nil, batch.WithKind("Job"), "metadata.annotations[cronjob.kubernetes.io/instantiate]", "manual"},
		{"a CronJob that rests", "suspend", object(batch.WithKind("CronJob"), "report"), nil, batch.WithKind("CronJob"), "spec.suspend", "true"},
		{"and goes on", "resume", object(batch.WithKind("CronJob"), "report"), nil, batch.WithKind("CronJob"), "spec.suspend", "false"},
	}
	for _, tc := range cases {
		act := tc.of
		act.Action, act.Parameters = tc.action, tc.parameters
		name := act.Object.Kind + " " + tc.action
		act.DryRun = true
		before := e.read(tc.of.GVK(), act.Object.Name)
		if _, err := inspector.Act(t.Context(), app, act); err != nil {
			t.Errorf("%s: dry run of %s: %v", tc.reason, name, err)
		}
		// Controllers may write its status at any time.
		if after := e.read(tc.of.GVK(), act.Object.Name); after.GetGeneration() != before.GetGeneration() {
			t.Errorf("%s: the dry run of %s changed the object", tc.reason, name)
		}
		act.DryRun = false
		done, err := inspector.Act(t.Context(), app, act)
		if err != nil || len(done) != 1 {
			t.Errorf("%s: %s: %+v, %v", tc.reason, name, done, err)
			continue
		}
		o := e.read(tc.made, done[0].Key.Name)
		if got := field(o.Object, tc.path); got != tc.want && (tc.want != "*" || got == "<nil>") {
			t.Errorf("%s: %s is %s after %s; want %s", tc.reason, tc.path, got, name, tc.want)
		}
	}
	found, err := inspector.Actions(t.Context(), app, schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, gitops.Key{Kind: "ConfigMap", Namespace: e.namespace, Name: "plain"})
	if err != nil || len(found) != 0 {
		t.Errorf("a ConfigMap has %v, %v; want no actions", found, err)
	}
	var p *gitops.Problem
	if _, err := inspector.Act(t.Context(), app, with(object(apps.WithKind("Deployment"), "web"), "resume")); !errors.As(err, &p) || p.Kind != gitops.NotReady {
		t.Errorf("resume of what is not paused: %v", err)
	}
	e.forbidden(app, with(object(batch.WithKind("CronJob"), "report"), "create-job"))
}

func with(a inspect.Act, action string) inspect.Act {
	a.Action = action
	return a
}

// forbidden runs an action that makes an object whose kind the project denies.
func (e *engine) forbidden(app *v1alpha1.Application, act inspect.Act) {
	e.t.Helper()
	project := &v1alpha1.AppProject{}
	project.Namespace, project.Name = e.namespace, "strict"
	project.Spec.SourceRepos = []string{"*"}
	project.Spec.Destinations = []v1alpha1.ApplicationDestination{{Server: "*", Namespace: "*"}}
	if err := e.Create(e.t.Context(), project); err != nil {
		e.t.Fatal(err)
	}
	project.Spec.NamespaceResourceBlacklist = append(project.Spec.NamespaceResourceBlacklist, metav1.GroupKind{Group: "batch", Kind: "Job"})
	if err := e.Update(e.t.Context(), project); err != nil {
		e.t.Fatal(err)
	}
	strict := app.DeepCopy()
	strict.Spec.Project = "strict"
	var p *gitops.Problem
	if _, err := e.inspect().Act(e.t.Context(), strict, act); !errors.As(err, &p) || p.Kind != gitops.Forbidden || !strings.Contains(err.Error(), "Job") {
		e.t.Errorf("an action that makes what the project denies: %v", err)
	}
}

func (e *engine) inspect() *inspect.Inspector {
	e.t.Helper()
	i, err := inspect.Open(e.t.Context(), inspect.Config{Hub: e.hub, Namespace: e.namespace, Log: e.cfg.Log})
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(i.Close)
	return i
}

func (e *engine) read(gvk schema.GroupVersionKind, name string) *unstructured.Unstructured {
	e.t.Helper()
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(gvk)
	embeddedtest.Eventually(e.t, func(ctx context.Context) error {
		return e.Get(ctx, types.NamespacedName{Namespace: e.namespace, Name: name}, o)
	})
	return o
}

// field reads a.b[c.d], where what is in brackets is one name.
func field(o map[string]any, path string) string {
	path, last, _ := strings.Cut(strings.TrimSuffix(path, "]"), "[")
	names := strings.Split(path, ".")
	if last != "" {
		names = append(names, last)
	}
	value, _, _ := unstructured.NestedFieldNoCopy(o, names...)
	return fmt.Sprint(value)
}
