package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/hub"
	"github.com/causeway-gitops/causeway/internal/inspect"
)

// TestFilesOfGitGenerators are matched by Git's own patterns, in which * stands for
// folders as well, or by path globs where argocd-cmd-params-cm says so: by the engine, and
// by all who look as it does.
func TestFilesOfGitGenerators(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		params map[string]string
		want   []string
	}{
		"Git":   {"nothing is said", nil, []string{"one", "two"}},
		"Globs": {"a star stays within a folder", map[string]string{v1alpha1.ParamDoublestarFiles: "true"}, []string{"one"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := prepare(t, hubConfig, map[string]string{"envs/one.json": `{"name": "one"}`, "envs/deep/two.json": `{"name": "two"}`, "app/a.yaml": configMapV1})
			if tc.params != nil {
				e.make(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: hub.ParamsMap}, Data: tc.params})
			}
			e.adjust = func(c *Config) { c.ApplicationNamespaces = []string{} } // a flag takes nothing from what else the ConfigMap says
			e.restart()
			e.set("envs", "[{git: {repoURL: '"+repoURL+"', revision: HEAD, files: [{path: 'envs/*.json'}]}}]", "{{name}}", "{{name}}")
			for _, app := range tc.want {
				e.untilShows(app, app)
			}
			want := make([]string, 0, len(tc.want))
			for _, app := range tc.want {
				want = append(want, e.namespace+"-"+app)
			}
			var apps v1alpha1.ApplicationList
			if err := e.List(t.Context(), &apps); err != nil {
				t.Fatal(err)
			}
			var there []string
			for i := range apps.Items {
				if apps.Items[i].Namespace == e.namespace {
					there = append(there, apps.Items[i].Name)
				}
			}
			if diff := cmp.Diff(want, there); diff != "" {
				t.Errorf("%s: the engine (-want +got):\n%s", tc.reason, diff)
			}

			alone, err := inspect.Open(t.Context(), inspect.Config{Hub: e.cfg.Hub, Namespace: e.cfg.Namespace, Mirrors: e.cfg.Mirrors, Log: e.cfg.Log})
			if err != nil {
				t.Fatal(err)
			}
			defer alone.Close()
			for who, i := range map[string]*inspect.Inspector{"server": e.inspector(), "command": alone} {
				b, err := i.Bridge(t.Context())
				if err != nil || len(b.Sets) != 1 {
					t.Fatalf("%s: %d sets, %v", who, len(b.Sets), err)
				}
				trial, err := i.Trial(t.Context(), b)
				if err != nil {
					t.Fatal(err)
				}
				tried, err := trial.Expand(t.Context(), b.Sets[0].ApplicationSet, nil)
				if err != nil || b.Sets[0].Err != nil {
					t.Fatalf("%s: %v, in a trial %v", who, b.Sets[0].Err, err)
				}
				for what, x := range map[string]*generate.Expansion{"looks": b.Sets[0].Expansion, "tries": tried} {
					var got []string
					for j := range x.Applications {
						got = append(got, x.Applications[j].Name)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s: the %s %s (-want +got):\n%s", tc.reason, who, what, diff)
					}
				}
			}
		})
	}
}
