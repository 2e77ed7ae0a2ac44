// Package examples holds the example fleet, and the tests that it is what its README says. The tests expand and render
// it without a cluster; bringing it up is the business of `causeway up`.
package examples

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/Masterminds/semver/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

const root = "fleet"

// fleet is the example, expanded down to its last manifest.
type fleet struct {
	config   *local.Fleet
	clusters []gitops.Cluster
	projects map[string]v1alpha1.AppProject
	apps     map[string]v1alpha1.Application
	made     map[string][]*unstructured.Unstructured // manifests by application
	warnings []gitops.Warning
}

var (
	once   sync.Once
	shared *fleet
)

// example is the fleet, expanded once for all tests, which only read it.
func example(t *testing.T) *fleet {
	t.Helper()
	once.Do(func() { shared = expand(t) })
	if shared == nil {
		t.Fatal("the example could not be expanded: see the first test that failed")
	}
	return shared
}

// expand does what the engine does, but for the clusters: it begins with what
// is applied to the hub, and goes on as long as manifests give more.
func expand(t *testing.T) *fleet {
	t.Helper()
	config, err := local.Read(filepath.Join(root, "causeway.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fleet{config: config, projects: map[string]v1alpha1.AppProject{}, apps: map[string]v1alpha1.Application{}, made: map[string][]*unstructured.Unstructured{}}
	for _, c := range f.config.Clusters {
		f.clusters = append(f.clusters, cluster(t, c.Name, c.Secret, c.Hub))
	}
	queue := f.applied(t)
	generator := generate.New(f, f, f)
	renderer := render.New(render.Options{}, helm.New(helm.Options{}), kustomize.New(kustomize.Options{}), directory.Renderer{})
	for len(queue) > 0 {
		o := queue[0]
		queue = queue[1:]
		switch o.GetKind() {
		case "ApplicationSet":
			queue = append(queue, f.generate(t, generator, o)...)
		case "Application":
			queue = append(queue, f.render(t, renderer, o)...)
		case "AppProject":
			f.projects[o.GetName()] = convert[v1alpha1.AppProject](t, o)
		}
	}
	return f
}

// applied are the objects that `causeway up` applies; projects come first.
func (f *fleet) applied(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	var out []*unstructured.Unstructured
	for _, folder := range f.config.Apply {
		files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
		if err != nil || len(files) == 0 {
			t.Fatalf("apply: %s holds no YAML files (%v)", folder, err)
		}
		for _, file := range files {
			o := &unstructured.Unstructured{}
			read(t, file, &o.Object)
			out = append(out, o)
		}
	}
	return out
}

func (f *fleet) generate(t *testing.T, g *generate.Generator, o *unstructured.Unstructured) []*unstructured.Unstructured {
	t.Helper()
	set := convert[v1alpha1.ApplicationSet](t, o)
	set.Namespace = f.config.Namespace
	got, err := g.Applications(t.Context(), &set)
	if err != nil {
		t.Fatalf("cannot expand %s: %v", set.Name, err)
	}
	for _, r := range got.Rejected {
		t.Errorf("%s: application %s is rejected at %s: %v", set.Name, r.Name, r.By, r.Err)
	}
	f.warnings = append(f.warnings, got.Warnings...)
	var out []*unstructured.Unstructured
	for _, app := range got.Applications {
		m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&app)
		if err != nil {
			t.Fatal(err)
		}
		u := &unstructured.Unstructured{Object: m}
		u.SetKind("Application")
		out = append(out, u)
	}
	return out
}

func (f *fleet) render(t *testing.T, r *render.Renderer, o *unstructured.Unstructured) []*unstructured.Unstructured {
	t.Helper()
	app := convert[v1alpha1.Application](t, o)
	if _, twice := f.apps[app.Name]; twice {
		t.Fatalf("two applications are called %s", app.Name)
	}
	app.Namespace = f.config.Namespace
	f.apps[app.Name] = app
	in := render.Input{App: &app, Facts: gitops.Facts{KubeVersion: "1.36.3"}}
	for _, s := range app.Spec.GetSources() {
		snap, err := f.Snapshot(t.Context(), gitops.SourceRef{RepoURL: s.RepoURL, Chart: s.Chart, Revision: s.TargetRevision})
		if err != nil {
			t.Fatalf("%s: %v", app.Name, err)
		}
		in.Snapshots = append(in.Snapshots, snap)
	}
	got, err := r.Application(t.Context(), in)
	if err != nil {
		t.Fatalf("cannot render %s: %v", app.Name, err)
	}
	f.warnings = append(f.warnings, got.Warnings...)
	for _, m := range got.Manifests {
		f.made[app.Name] = append(f.made[app.Name], m.Object.DeepCopy())
	}
	return f.made[app.Name]
}

// Clusters implements generate.Clusters.
func (f *fleet) Clusters(context.Context) ([]gitops.Cluster, error) { return f.clusters, nil }

// HasProject implements generate.Projects.
func (f *fleet) HasProject(_ context.Context, name string) (bool, error) {
	_, ok := f.projects[name]
	return ok, nil
}

// Snapshot implements generate.Snapshots out of the mirrors of causeway.yaml.
func (f *fleet) Snapshot(_ context.Context, ref gitops.SourceRef) (*gitops.Snapshot, error) {
	folder, ok := f.mirror(ref)
	if !ok {
		return nil, fmt.Errorf("causeway.yaml has no mirror for %s", ref.RepoURL)
	}
	if ref.Chart == "" {
		return treetest.Folder(ref.RepoURL, "0000000000000000000000000000000000000000", folder)
	}
	version, err := newest(filepath.Join(folder, ref.Chart), ref.Revision)
	if err != nil {
		return nil, err
	}
	snap, err := treetest.Folder(ref.RepoURL, version, filepath.Join(folder, ref.Chart, version))
	if err == nil {
		snap.Ref = ref
	}
	return snap, err
}

// mirror is the folder for an address; a registry is written without its scheme.
func (f *fleet) mirror(ref gitops.SourceRef) (string, bool) {
	for _, m := range f.config.Mirrors {
		if m.URL == ref.RepoURL || (ref.Chart != "" && m.URL == "oci://"+ref.RepoURL) {
			return m.Path, true
		}
	}
	return "", false
}

// newest is the highest version below dir that a range allows.
func newest(dir, wanted string) (string, error) {
	allowed, err := semver.NewConstraint(wanted)
	if err != nil {
		return "", fmt.Errorf("cannot read version %q: %w", wanted, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var best *semver.Version
	for _, e := range entries {
		v, err := semver.NewVersion(e.Name())
		if err == nil && allowed.Check(v) && (best == nil || v.GreaterThan(best)) {
			best = v
		}
	}
	if best == nil {
		return "", fmt.Errorf("%s has no version %s", dir, wanted)
	}
	return best.Original(), nil
}

// cluster reads a cluster Secret and fills in what `causeway up` would.
func cluster(t *testing.T, name, file string, hub bool) gitops.Cluster {
	t.Helper()
	var s corev1.Secret
	read(t, file, &s)
	if s.StringData["name"] != name {
		t.Errorf("%s: stringData.name is %q, causeway.yaml calls the cluster %q", file, s.StringData["name"], name)
	}
	server := "https://" + name + ".example.com:6443"
	if hub {
		server = gitops.HubServer
	}
	return gitops.Cluster{Name: name, Server: server, Secret: s.Name, Labels: s.Labels, Annotations: s.Annotations}
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// convert reads a typed object; a field that the type does not have is an error.
func convert[T any](t *testing.T, o *unstructured.Unstructured) T {
	t.Helper()
	var out T
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, &out, true); err != nil {
		t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
	}
	return out
}
