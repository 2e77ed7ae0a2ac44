package render_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/kustomize"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
	"github.com/causeway-gitops/causeway/internal/worker"
	"github.com/causeway-gitops/causeway/test/deviation"
)

// recorded is how many cases there are; it only goes up.
const recorded = 98

func renderers() *render.Renderer {
	return render.New(render.Options{}, directory.Renderer{}, helm.New(helm.Options{}), kustomize.New(kustomize.Options{}))
}

func TestRenderConformance(t *testing.T) {
	root := suite(t)
	cases, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*render.Renderer{"Here": renderers(), "Apart": apartly(t, render.Options{}, nil, worker.Limits{})} {
		t.Run(name, func(t *testing.T) {
			tally := deviation.New(t)
			for _, c := range cases {
				tally.Case(t, c.Name(), conform(t, r, filepath.Join(root, c.Name())))
			}
			tally.End(t, recorded)
		})
	}
}

func suite(tb testing.TB) string {
	tb.Helper()
	root, err := filepath.Abs("../../../shared/conformance/render/cases")
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(root); err != nil {
		deviation.Missing(tb, "shared/conformance/render")
	}
	return root
}

type expected struct {
	Error   string
	Sources []struct {
		Index     int
		Type      string
		Manifests []map[string]any
	}
}

type options struct {
	KubeVersion    string
	APIVersions    []string
	Tracking       gitops.TrackingMethod
	InstallationID string
}

const conformanceRevision = "0123456789abcdef0123456789abcdef01234567"

// conform renders a case and returns how it differs.
func conform(t *testing.T, r *render.Renderer, dir string) string {
	t.Helper()
	var app v1alpha1.Application
	var want expected
	decode(t, filepath.Join(dir, "application.yaml"), &app)
	decode(t, filepath.Join(dir, "expected.yaml"), &want)
	got, err := r.Application(t.Context(), render.Input{App: &app, Snapshots: snapshots(t, dir, &app), Facts: facts(t, dir)})
	if (err != nil) != (want.Error != "") {
		return fmt.Sprintf("error %v, want %q", err, want.Error)
	}
	if err != nil {
		t.Logf("%s: %v", filepath.Base(dir), err)
		return ""
	}
	return differences(marked(t, dir, &app, got), want)
}

func differences(got *gitops.Rendering, want expected) string {
	var b strings.Builder
	for _, s := range want.Sources {
		if string(got.Types[s.Index]) != s.Type {
			fmt.Fprintf(&b, "source %d is %s, want %s\n", s.Index, got.Types[s.Index], s.Type)
		}
		b.WriteString(cmp.Diff(grouped(s.Manifests), grouped(objectsOf(got, s.Index))))
	}
	return b.String()
}

func objectsOf(r *gitops.Rendering, source int) []map[string]any {
	var out []map[string]any
	for _, m := range r.Manifests {
		if m.Origin.Source == source {
			out = append(out, m.Object.Object)
		}
	}
	return out
}

// grouped puts objects under their identity, as texts.
func grouped(objects []map[string]any) map[string][]string {
	out := map[string][]string{}
	for _, o := range objects {
		metadata, _ := o["metadata"].(map[string]any)
		key := fmt.Sprint(o["apiVersion"], o["kind"], metadata["namespace"], metadata["name"])
		text, err := yaml.Marshal(o)
		if err != nil {
			text = []byte(err.Error())
		}
		out[key] = append(out[key], string(text))
	}
	return out
}

func snapshots(t *testing.T, dir string, app *v1alpha1.Application) []*gitops.Snapshot {
	t.Helper()
	folders := map[string]string{"https://git.example.com/org/render": "repo"}
	if _, err := os.Stat(filepath.Join(dir, "repos.yaml")); err == nil {
		folders = map[string]string{}
		decode(t, filepath.Join(dir, "repos.yaml"), &folders)
	}
	var out []*gitops.Snapshot
	for _, s := range app.Spec.GetSources() {
		folder, ok := folders[s.RepoURL]
		if !ok {
			t.Fatalf("%s: no repository %s in %v", dir, s.RepoURL, slices.Collect(maps.Keys(folders)))
		}
		snapshot, err := treetest.Folder(s.RepoURL, conformanceRevision, filepath.Join(dir, folder))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, snapshot)
	}
	return out
}

func optionsOf(t *testing.T, dir string) options {
	t.Helper()
	var o options
	if _, err := os.Stat(filepath.Join(dir, "options.yaml")); err == nil {
		decode(t, filepath.Join(dir, "options.yaml"), &o)
	}
	return o
}

// marked is a rendering with the marks of tracking, which the plan adds: the
// suite has both as one step.
func marked(t *testing.T, dir string, app *v1alpha1.Application, got *gitops.Rendering) *gitops.Rendering {
	t.Helper()
	o := optionsOf(t, dir)
	if o.Tracking == "" {
		return got
	}
	tracking := gitops.Tracking{Method: o.Tracking, Installation: o.InstallationID}
	out := *got
	out.Manifests = nil
	for _, m := range got.Manifests {
		m.Object = m.Object.DeepCopy()
		key := gitops.KeyOf(m.Object)
		if key.Namespace == "" {
			key.Namespace = app.Spec.Destination.Namespace
		}
		tracking.Mark(m.Object, app.Name, key)
		out.Manifests = append(out.Manifests, m)
	}
	return &out
}

func facts(t *testing.T, dir string) gitops.Facts {
	t.Helper()
	o := optionsOf(t, dir)
	f := gitops.Facts{KubeVersion: "1.33.0", APIVersions: []string{
		"apps/v1", "apps/v1/Deployment", "batch/v1", "batch/v1/CronJob", "monitoring.coreos.com/v1", "monitoring.coreos.com/v1/ServiceMonitor",
		"networking.k8s.io/v1", "networking.k8s.io/v1/Ingress", "rbac.authorization.k8s.io/v1", "v1",
	}}
	if o.KubeVersion != "" {
		f.KubeVersion = o.KubeVersion
	}
	if o.APIVersions != nil {
		f.APIVersions = slices.Sorted(slices.Values(o.APIVersions))
	}
	return f
}

func decode(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
