package helm

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	chart "helm.sh/helm/v4/pkg/chart/v2"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// fakeRemote notes what is asked for.
type fakeRemote struct {
	charts map[string]treetest.Files // by repository, name and version
	asked  []string
}

func (f *fakeRemote) Tree(ctx context.Context, ref gitops.SourceRef) (*record.Tree, error) {
	name := ref.RepoURL + " " + ref.Chart + " " + ref.Revision
	f.asked = append(f.asked, name)
	files, ok := f.charts[name]
	if !ok {
		return nil, gitops.Problemf(gitops.NotFound, "cannot find chart %s", name)
	}
	return record.Wrap(ctx, treetest.Snapshot(ref.RepoURL, ref.Revision, files), record.Limits{}), nil
}

func remoteChart(name, version, more string) treetest.Files {
	return treetest.Files{
		"Chart.yaml":       "apiVersion: v2\nname: " + name + "\nversion: " + version + "\n" + more,
		"values.yaml":      "v: " + version + "\n",
		"templates/x.yaml": "# " + name + "\nkind: ConfigMap\nmetadata: {name: {{ .Chart.Name }}}\ndata: {v: {{ .Values.v | quote }}}\n",
	}
}

func TestDependencies(t *testing.T) {
	const http, oci = "https://charts.example.com", "oci://registry.example.com/charts"
	remote := map[string]treetest.Files{
		http + " a 1.x":   remoteChart("a", "1.2.3", ""),
		http + " a 1.2.0": remoteChart("a", "1.2.0", ""),
		http + " b 1.x":   remoteChart("b", "1.0.0", "dependencies:\n- {name: a, version: 1.x, repository: \""+http+"\", condition: a.enabled}\n"),
		oci + " c 2.0.0":  remoteChart("c", "2.0.0", ""),
	}
	cases := map[string]struct {
		reason, dependencies, lock, values string
		asked                              []string
		objects                            []string
	}{
		"Range":     {"a range is asked for as it is", "- {name: a, version: 1.x, repository: \"" + http + "\"}", "", "", []string{http + " a 1.x"}, []string{"a"}},
		"Locked":    {"the locked version", "- {name: a, version: 1.x, repository: \"" + http + "\"}", "dependencies:\n- {name: a, version: 1.2.0, repository: \"" + http + "\"}\n", "", []string{http + " a 1.2.0"}, []string{"a"}},
		"OCI":       {"a registry", "- {name: c, version: 2.0.0, repository: \"" + oci + "\"}", "", "", []string{oci + " c 2.0.0"}, []string{"c"}},
		"Alias":     {"one chart under two names is fetched once", "- {name: a, version: 1.x, repository: \"" + http + "\", alias: one}\n- {name: a, version: 1.x, repository: \"" + http + "\", alias: two}", "", "", []string{http + " a 1.x"}, []string{"one", "two"}},
		"Condition": {"one that is off is not fetched", "- {name: none, version: 1.x, repository: \"" + http + "\", condition: none.enabled}", "", "none: {enabled: false}", nil, nil},
		"Tag":       {"one whose tag is off is not fetched", "- {name: none, version: 1.x, repository: \"" + http + "\", tags: [extra]}", "", "tags: {extra: false}", nil, nil},
		"Nested":    {"dependencies of dependencies", "- {name: b, version: 1.x, repository: \"" + http + "\"}", "", "", []string{http + " b 1.x", http + " a 1.x"}, []string{"a", "b"}},
		"NestedOff": {"conditions of dependencies of dependencies", "- {name: b, version: 1.x, repository: \"" + http + "\"}", "", "b: {a: {enabled: false}}", []string{http + " b 1.x"}, []string{"b"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := treetest.Files{"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n" + tc.dependencies + "\n"}
			if tc.lock != "" {
				files["web/Chart.lock"] = tc.lock
			}
			from := &fakeRemote{charts: remote}
			s := sourceOf(t, files, v1alpha1.ApplicationSourceHelm{Values: tc.values}, gitops.Facts{})
			s.Remote = from
			got, err := New(Options{}).Render(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.asked, from.asked); diff != "" {
				t.Errorf("%s, asked: -want +got:\n%s", tc.reason, diff)
			}
			var objects []string
			for _, m := range got {
				objects = append(objects, m.Object.GetName())
				if m.Origin.RepoURL == "https://git.example.com/r" || m.Origin.String() != "templates/x.yaml:2" {
					t.Errorf("%s comes from %+v", m.Object.GetName(), m.Origin)
				}
			}
			if diff := cmp.Diff(tc.objects, objects); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDependencyProblems(t *testing.T) {
	digest := digestOf([2][]*chart.Dependency{
		{{Name: "a", Version: "1.x", Repository: "https://h/c"}}, {{Name: "a", Version: "1.0.0", Repository: "https://h/c"}},
	})
	lock := "digest: " + digest + "\ndependencies:\n- {name: a, version: 1.0.0, repository: \"https://h/c\"}\n"
	cases := map[string]struct{ reason, dependency, lock, want string }{
		"Beside":  {"a folder that is not there", "{name: a, version: 1.x, repository: \"file://../gone\"}", "", "cannot build dependency a 1.x of chart web from file://../gone: cannot find chart folder gone"},
		"Outside": {"a folder outside", "{name: a, version: 1.x, repository: \"file://../../x\"}", "", "is outside the repository"},
		"Alias":   {"a name of one machine", "{name: a, version: 1.x, repository: \"@stable\"}", "", "repository @stable is a name that only the machine knows"},
		"Alias2":  {"the other form", "{name: a, version: 1.x, repository: \"alias:stable\"}", "", "repository alias:stable is a name"},
		"None":    {"no repository", "{name: a, version: 1.x}", "", "names no repository"},
		"Path":    {"no address", "{name: a, version: 1.x, repository: charts}", "", "is no address"},
		"Missing": {"a chart that is not there", "{name: a, version: 1.x, repository: \"https://h/c\"}", "", "cannot build dependency a 1.x of chart web from https://h/c: cannot find chart https://h/c a 1.x"},
		"Synced":  {"a lock that fits", "{name: a, version: 1.x, repository: \"https://h/c\"}", lock, "cannot find chart https://h/c a 1.0.0"},
		"Lock":    {"a lock that does not fit", "{name: a, version: 2.x, repository: \"https://h/c\"}", lock, "Chart.lock was made for other dependencies"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := treetest.Files{"web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- " + tc.dependency + "\n"}
			if tc.lock != "" {
				files["web/Chart.lock"] = tc.lock
			}
			s := sourceOf(t, files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{})
			s.Remote = &fakeRemote{}
			_, err := New(Options{}).Render(t.Context(), s)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if at := "web/Chart.yaml:5"; name != "Lock" && !strings.Contains(err.Error(), at) {
				t.Errorf("%s: %v does not name %s", tc.reason, err, at)
			}
		})
	}
}

// TestOrigins tells where manifests and errors come from, in dependencies too.
func TestOrigins(t *testing.T) {
	files := treetest.Files{
		"web/Chart.yaml":                      "apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n- {name: db, version: 1.x, alias: store, repository: \"\"}\n- {name: near, version: 1.x, repository: \"file://../near\"}\n",
		"web/crds/c.yaml":                     "\n---\nkind: CustomResourceDefinition\nmetadata: {name: c}\n",
		"web/templates/a.yaml":                "{{ range until 2 }}\n---\nkind: A\nmetadata: {name: a{{ . }}}\n{{ end }}",
		"web/charts/db/Chart.yaml":            "apiVersion: v2\nname: db\nversion: 1.0.0\n",
		"web/charts/db/templates/deep/b.yaml": "# one\n# two\nkind: B\nmetadata: {name: {{ .Chart.Name }}}\n",
		"near/Chart.yaml":                     "apiVersion: v2\nname: near\nversion: 1.0.0\n",
		"near/values.yaml":                    "fail: false\n",
		"near/templates/n.yaml":               "kind: Near\nmetadata: {name: near}\n{{ if .Values.fail }}\n{{ fail \"on purpose\" }}\n{{ end }}",
	}
	got, err := New(Options{}).Render(t.Context(), sourceOf(t, files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{}))
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, m := range got {
		places = append(places, m.Object.GetName()+" "+m.Origin.String())
	}
	want := []string{"c web/crds/c.yaml:3", "near near/templates/n.yaml:1", "store web/charts/db/templates/deep/b.yaml:3", "a0 web/templates/a.yaml:3", "a1 web/templates/a.yaml:3"}
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	_, err = New(Options{}).Render(t.Context(), sourceOf(t, files, v1alpha1.ApplicationSourceHelm{Values: "near: {fail: true}"}, gitops.Facts{}))
	if err == nil || !strings.Contains(err.Error(), "on purpose (https://git.example.com/r at 1 near/templates/n.yaml:4)") {
		t.Errorf("an error's place: %v", err)
	}
}
