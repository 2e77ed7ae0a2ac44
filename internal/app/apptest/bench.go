// Package apptest is what tests of a whole engine need at a control plane: a
// namespace, a repository that is a folder, and Applications of it. It starts no
// engine: who tests one does.
package apptest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// RepoURL is the repository that an engine has as a folder.
const RepoURL = "https://git.example.com/team/apps"

// Bench is where an engine of a test works: a namespace of a control plane, and
// a folder for its repository, which is a link that AtOnce turns to another one.
type Bench struct {
	client.Client

	Hub       *rest.Config
	Namespace string
	Folder    string
	T         *testing.T
}

// New makes one. Install puts the definitions of the engine's kinds there.
func New(t *testing.T, hub *rest.Config, install func(context.Context, *rest.Config) error, files map[string]string) *Bench {
	t.Helper()
	b := &Bench{T: t, Hub: hub, Namespace: embeddedtest.Namespace(t, hub), Folder: filepath.Join(t.TempDir(), "repository")}
	if err := os.Symlink(t.TempDir(), b.Folder); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		b.Write(name, content)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error { return install(ctx, hub) }) // a busy API server refuses it for a while
	scheme := runtime.NewScheme()
	var err error
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, appsv1.AddToScheme, rbacv1.AddToScheme, v1alpha1.AddToScheme, causeway.AddToScheme} {
		err = errors.Join(err, add(scheme))
	}
	if err == nil {
		b.Client, err = client.New(hub, client.Options{Scheme: scheme})
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Write writes a file of the repository.
func (b *Bench) Write(name, content string) {
	b.T.Helper()
	Put(b.T, filepath.Join(b.Folder, name), content)
}

// AtOnce makes several changes of the repository one: an engine that looks at it
// sees none or all of them. Change gets the folder where it makes them; Write
// writes there.
func (b *Bench) AtOnce(change func(folder string)) {
	b.T.Helper()
	link, next := b.Folder, filepath.Join(b.T.TempDir(), "next")
	if err := os.CopyFS(next, os.DirFS(link)); err != nil {
		b.T.Fatal(err)
	}
	b.Folder = next
	change(next)
	b.Folder = link
	turned := filepath.Join(b.T.TempDir(), "link")
	if err := errors.Join(os.Symlink(next, turned), os.Rename(turned, link)); err != nil {
		b.T.Fatal(err)
	}
}

// Put writes a file so that it is never there by half: an engine looks at it
// all the time.
func Put(t *testing.T, path, content string) {
	t.Helper()
	whole := filepath.Join(t.TempDir(), filepath.Base(path))
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o750), os.WriteFile(whole, []byte(content), 0o600))
	if err == nil {
		err = os.Rename(whole, path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Make creates an object in the namespace.
func (b *Bench) Make(o client.Object) {
	b.T.Helper()
	o.SetNamespace(b.Namespace)
	if err := b.Create(b.T.Context(), o); err != nil {
		b.T.Fatal(err)
	}
}

// ID makes a name that no other engine on the cluster uses: two engines with
// applications of one name would take each other's objects for their own.
func (b *Bench) ID(name string) string { return name + "-" + b.Namespace }

// App makes an automated Application of a folder of the repository.
func (b *Bench) App(name, path string, change ...func(*v1alpha1.Application)) *v1alpha1.Application {
	b.T.Helper()
	yes := true
	app := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Name: b.ID(name), Namespace: b.Namespace, Finalizers: []string{v1alpha1.FinalizerResources}},
		Spec: v1alpha1.ApplicationSpec{
			Project:     "default",
			Source:      &v1alpha1.ApplicationSource{RepoURL: RepoURL, Path: path, TargetRevision: "HEAD"},
			Destination: v1alpha1.ApplicationDestination{Name: "in-cluster", Namespace: b.Namespace},
			SyncPolicy:  &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{Prune: &yes, SelfHeal: &yes}},
		},
	}
	for _, c := range change {
		c(app)
	}
	if err := b.Create(b.T.Context(), app); err != nil {
		b.T.Fatal(err)
	}
	return app
}

// Until waits for a condition on an Application.
func (b *Bench) Until(name, what string, ok func(*v1alpha1.Application) bool) *v1alpha1.Application {
	b.T.Helper()
	app := &v1alpha1.Application{}
	embeddedtest.Eventually(b.T, func(ctx context.Context) error {
		if err := b.Get(ctx, types.NamespacedName{Namespace: b.Namespace, Name: b.ID(name)}, app); err != nil {
			return err
		}
		if !ok(app) {
			return fmt.Errorf("application %s is not %s: sync %q, health %q, conditions %v, operation %v", name, what,
				app.Status.Sync.Status, app.Status.Health.Status, app.Status.Conditions, app.Status.OperationState)
		}
		return nil
	})
	return app
}

// ConfigMap reads one of the namespace.
func (b *Bench) ConfigMap(name string) (*corev1.ConfigMap, error) {
	cm := &corev1.ConfigMap{}
	return cm, b.Get(b.T.Context(), types.NamespacedName{Namespace: b.Namespace, Name: name}, cm)
}

// Running runs an engine until the function that comes back is called, or the
// test ends.
func (b *Bench) Running(run func(context.Context) error) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.T.Context()))
	done := make(chan error, 1)
	go func() { done <- run(ctx) }() // stop waits for it
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			b.T.Errorf("engine ended: %v", err)
		}
	}
	b.T.Cleanup(stop)
	return stop
}
