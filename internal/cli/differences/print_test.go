package differences

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/table"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/plan"
)

// TestDifferencesTellTerminalsNothing: whoever writes the repository names its files, and a line more would be another difference.
func TestDifferencesTellTerminalsNothing(t *testing.T) {
	var out bytes.Buffer
	forged := "web\nprune Namespace production" + clitest.Steering
	err := Print(clitest.Global(t, &out), AsDiff, []plan.ObjectDiff{{Key: gitops.Key{Kind: "ConfigMap", Name: "a"}, Verb: "update", Origin: gitops.Origin{File: forged, Line: 3}, Kept: forged, Drifted: forged}})
	if err != nil || strings.Contains(out.String(), "\nprune") {
		t.Errorf("it says: %v\n%s", err, out.String())
	}
	clitest.OnlySays(t, out.String(), 4)
}

// changed are differences of every kind: a new object, one that changes, one that goes, and one that stays.
func changed(t *testing.T) []plan.ObjectDiff {
	t.Helper()
	object := func(replicas int64) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"namespace": "shop", "name": "web"}, "spec": map[string]any{"replicas": replicas},
		}}
	}
	web := gitops.Key{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	var all []plan.ObjectDiff
	for _, of := range []struct {
		verb            gitops.Verb
		live, predicted *unstructured.Unstructured
	}{{gitops.Create, nil, object(1)}, {gitops.Update, object(5), object(1)}, {gitops.Prune, object(5), nil}} {
		diff, err := plan.NewDiff(of.live, of.predicted)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, plan.ObjectDiff{Key: web, Verb: of.verb, Diff: diff, Origin: gitops.Origin{File: "web.yaml", Line: 3}})
	}
	all[1].Drifted = "was scaled by hpa"
	return append(all, plan.ObjectDiff{Key: gitops.Key{Kind: "Namespace", Name: "shop"}, Verb: gitops.Prune, Kept: "its option Prune=false"})
}

// TestWaysToPrintDifferences: all of them are of the same objects, and where there are none a person is told and a program
// gets an empty list.
func TestWaysToPrintDifferences(t *testing.T) {
	for output, tc := range map[string]struct {
		reason string
		says   []string
		none   string
	}{
		AsDiff: {"each has its heading, and says why", []string{
			"create Deployment shop/web (web.yaml:3)\n@@ ", "update Deployment shop/web (web.yaml:3)\nit was scaled by hpa\n@@ ", "-  replicas: 5\n+  replicas: 1\n", "prune Deployment shop/web (web.yaml:3)\n@@ ",
			"prune Namespace shop\nit is no longer in the sources and stays: its option Prune=false\n\n",
		}, "no differences\n"},
		table.AsName: {"names as kubectl takes them", []string{"Deployment.apps/web\nDeployment.apps/web\nDeployment.apps/web\nNamespace/shop\n"}, ""},
		table.AsTable: {"a row for each, with its fields or why it stays", []string{
			"create  Deployment  shop       web", "update  Deployment  shop       web   spec.replicas", "prune   Namespace   -          shop  its option Prune=false",
		}, "no differences\n"},
		table.AsJSON: {"whole objects where there is no other side", []string{`"action": "update"`, `"path": "spec.replicas"`, `"old": 5`, `"new": 1`, `"drifted": "was scaled by hpa"`, `"kept": "its option Prune=false"`, `"source": "web.yaml:3"`}, "[]\n"},
		table.AsYAML: {"the same", []string{"action: update\n", "path: spec.replicas\n", "old: 5\n", "kept: its option Prune=false\n"}, "[]\n"},
	} {
		t.Run(output, func(t *testing.T) {
			var out bytes.Buffer
			if err := Print(clitest.Global(t, &out), output, changed(t)); err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%s: there is no %q in\n%s", tc.reason, want, out.String())
				}
			}
			out.Reset()
			if err := Print(clitest.Global(t, &out), output, nil); err != nil || out.String() != tc.none {
				t.Errorf("of none it says %q: %v", out.String(), err)
			}
		})
	}
}

// TestWhatProgramsGet: an empty list is a list, and what stays has no changes.
func TestWhatProgramsGet(t *testing.T) {
	got := Printed(changed(t))
	want := []Difference{
		{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web", Action: "update", Source: "web.yaml:3", Drifted: "was scaled by hpa", Changes: []Change{{Path: "spec.replicas", Old: int64(5), New: int64(1)}}},
		{Kind: "Namespace", Name: "shop", Action: "prune", Kept: "its option Prune=false"},
	}
	if diff := cmp.Diff(want, []Difference{got[1], got[3]}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if created, pruned := got[0].Changes[0], got[2].Changes[0]; created.Old != nil || created.New == nil || pruned.New != nil || pruned.Old == nil {
		t.Errorf("what is made and what goes have %+v and %+v", created, pruned)
	}
	if none := Printed(nil); none == nil {
		t.Error("of nothing programs get null")
	}
}
