package bootstrap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestRightsOfTheEngine: it gets the least that deploys the roots, unless more is asked for; what the values say counts.
func TestRightsOfTheEngine(t *testing.T) {
	root := []any{map[string]any{
		"apiGroups": []any{"argoproj.io", "causeway.io"}, "resources": []any{"*"},
		"verbs": []any{"get", "list", "watch", "create", "update", "patch", "delete"},
	}}
	cases := map[string]struct {
		reason string
		engine Engine
		want   map[string]any
	}{
		"Roots":      {"what a root application is made of", Engine{}, map[string]any{"rules": root}},
		"All":        {"those of an administrator", Engine{Rights: AllRights}, map[string]any{"clusterAdmin": true}},
		"Said":       {"rules of the values alone", Engine{Rights: AllRights, Set: []string{"destination.rules[0].resources[0]=pods"}}, map[string]any{"rules": []any{map[string]any{"resources": []any{"pods"}}}}},
		"Refused":    {"also that it is no administrator", Engine{Rights: AllRights, Set: []string{"destination.clusterAdmin=false"}}, map[string]any{"clusterAdmin": false}},
		"Namespaces": {"namespaces are rights, too", Engine{Set: []string{"destination.namespaces={a}"}}, map[string]any{"namespaces": []any{"a"}}},
		"Other":      {"another value of the section is none", Engine{Set: []string{"destination.other=x"}}, map[string]any{"other": "x", "rules": root}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			values, err := tc.engine.values()
			if diff := cmp.Diff(tc.want, values["destination"]); err != nil || diff != "" {
				t.Errorf("%s: %v, -want +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestValuesThatCannotBeUsed(t *testing.T) {
	cases := map[string]struct {
		reason string
		engine Engine
		want   []string
	}{
		"File":     {"a file that is no mapping is named", Engine{Files: []Values{{"a.yaml", []byte("a: b")}, {"b.yaml", []byte("[a]")}}}, []string{"cannot read the values of b.yaml", "write a YAML mapping"}},
		"NoValue":  {"a value has a name", Engine{Set: []string{"engine.workers"}}, []string{`cannot set "engine.workers"`, "write NAME=VALUE, as in engine.workers=8"}},
		"Index":    {"an index that is none, whose value may be a secret", Engine{Set: []string{"a[x]=hunter2"}}, []string{"cannot set the value a[x]", "NAME=VALUE"}},
		"Section":  {"a section is a mapping", Engine{Version: "1", Set: []string{"image=x"}}, []string{"cannot read the value image: it is no mapping"}},
		"Rights":   {"also that of rights", Engine{Set: []string{"destination=x"}}, []string{"cannot read the value destination"}},
		"NoName":   {"an image has a name", Engine{Image: ":1"}, []string{`cannot use the image ":1": it has no name`}},
		"NoDigest": {"a digest alone names none", Engine{Image: "@sha256:ab"}, []string{"it has no name"}},
		"Chart":    {"what the chart refuses", Engine{Set: []string{"engine.replicas=many"}}, []string{"the engine cannot be installed with these values", "correct --values or --set"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.engine.Namespace = "argocd"
			_, err := tc.engine.Objects(gitops.Facts{KubeVersion: "1.33.0"})
			for _, want := range tc.want {
				if !gitops.IsProblem(err, gitops.Invalid) || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: got %v; want %q", tc.reason, err, want)
				}
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: the value is told: %v", tc.reason, err)
			}
		})
	}
}

// TestWhatIsAskedOfAnEngine: one that somebody else installed stays only where nothing is asked of it.
func TestWhatIsAskedOfAnEngine(t *testing.T) {
	for name, tc := range map[string]struct {
		engine Engine
		want   bool
	}{
		"Nothing": {Engine{Namespace: "argocd"}, false}, "Rights": {Engine{Rights: AllRights}, false},
		"Values": {Engine{Files: []Values{{}}}, true}, "Value": {Engine{Set: []string{"a=b"}}, true}, "Image": {Engine{Image: "a"}, true}, "Version": {Engine{Version: "1"}, true},
	} {
		if got := tc.engine.Given(); got != tc.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// TestRootsLoseNoFleet: the set of a root is for the hub alone, fails where the hub says nothing, and takes nothing
// with it when it goes.
func TestRootsLoseNoFleet(t *testing.T) {
	root := Root("argocd", "addons", "eu-hub")
	text := func(path ...string) string {
		value, _, err := unstructured.NestedFieldNoCopy(root.Object, path...)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(value)
	}
	for what, got := range map[string][2]string{
		"of one application":     {"addons", text("spec", "template", "metadata", "name")},
		"fails without a key":    {"[missingkey=error]", text("spec", "goTemplateOptions")},
		"keeps what it made":     {"true", text("spec", "syncPolicy", "preserveResourcesOnDeletion")},
		"reads its own keys":     {"{{.metadata.annotations.addons_repo_basepath}}{{.metadata.annotations.addons_repo_path}}", text("spec", "template", "spec", "source", "path")},
		"leaves examples out":    {"exclude/*", text("spec", "template", "spec", "source", "directory", "exclude")},
		"deploys to the hub":     {"map[name:{{.name}} namespace:argocd]", text("spec", "template", "spec", "destination")},
		"is in its own place":    {"argocd/addons", root.GetNamespace() + "/" + root.GetName()},
		"is no plain ConfigMap":  {"ApplicationSet", root.GetKind()},
		"syncs without a person": {"map[prune:true selfHeal:true]", text("spec", "template", "spec", "syncPolicy", "automated")},
	} {
		if got[0] != got[1] {
			t.Errorf("a root %s: got %s, want %s", what, got[1], got[0])
		}
	}
	generators, _, _ := unstructured.NestedSlice(root.Object, "spec", "generators")
	if got := fmt.Sprint(generators); len(generators) != 1 || !strings.Contains(got, "cluster_name:eu-hub") || !strings.Contains(got, "secret-type:cluster") {
		t.Errorf("a root is for %s", got)
	}
}

func TestRootsThatThereAre(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		names  []string
		want   string
	}{
		"All":     {"all that there are", RootNames(), ""},
		"None":    {"none is asked for", nil, "no root application is asked for; name some of addons, workloads, clusters"},
		"Typo":    {"one that is almost there", []string{"addons", "worklods"}, `there is no root application "worklods"; did you mean "workloads"?`},
		"Foreign": {"one of another kind", []string{"monitoring-of-all"}, "name some of addons, workloads, clusters"},
	} {
		err := CheckRoots(tc.names)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %s: got %v; want %q", name, tc.reason, err, tc.want)
		}
	}
}
