package generate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
)

// TestPatchParts holds the ways that merge only a part against the one that
// merges the whole Application.
func TestPatchParts(t *testing.T) {
	const app = `
metadata: {name: web, namespace: argocd, labels: {a: b}, finalizers: [f]}
spec:
  project: default
  destination: {name: prod, namespace: web}
  sources: [{repoURL: one, chart: x, helm: {valueFiles: [a]}}, {repoURL: two}]
  info: [{name: x, value: why}]
  syncPolicy: {automated: {prune: true}, syncOptions: [A=true]}
`
	for name, text := range map[string]string{
		"empty":         "{}",
		"new field":     "spec: {revisionHistoryLimit: 3}",
		"two new":       "spec: {revisionHistoryLimit: 3, ignoreDifferences: [{kind: Secret, jsonPointers: [/data]}]}",
		"merged":        "spec: {syncPolicy: {automated: {selfHeal: true}}}",
		"null":          "spec: {syncPolicy: {automated: null}}",
		"null field":    "spec: {syncPolicy: null}",
		"null new":      "spec: {ignoreDifferences: null}",
		"list":          "spec: {sources: [{repoURL: three}]}",
		"merge by key":  "spec: {info: [{name: z, value: q}]}",
		"delete":        "spec: {info: [{$patch: delete, name: x}]}",
		"replace":       "spec: {syncPolicy: {$patch: replace, retry: {limit: 1}}}",
		"replace spec":  "spec: {$patch: replace, revisionHistoryLimit: 1}",
		"replace all":   "$patch: replace\nspec: {revisionHistoryLimit: 1}",
		"project":       "spec: {project: other, revisionHistoryLimit: 2}",
		"labels":        "metadata: {labels: {c: d, a: null}}\nspec: {revisionHistoryLimit: 2}",
		"name":          "metadata: {name: other, namespace: elsewhere}",
		"operation":     "operation: {initiatedBy: {username: x}}",
		"case":          "spec: {RevisionHistoryLimit: 4}",
		"unknown":       "spec: {unknown: 4, syncPolicy: {unknown: 1}}",
		"new map":       "spec: {source: {helm: {valuesObject: {a: {b: 1}}}}}",
		"managed":       "spec: {syncPolicy: {managedNamespaceMetadata: {labels: {x: why}}}}",
		"spec null":     "spec: null",
		"metadata null": "metadata: null",
	} {
		t.Run(name, func(t *testing.T) {
			part, err := readPatch(text)
			if err != nil {
				t.Fatal(err)
			}
			whole := *part
			whole.whole, whole.added = true, nil
			results := make([]*v1alpha1.Application, 2)
			for i, p := range []*patch{part, &whole} {
				base := &v1alpha1.Application{}
				if err := yaml.UnmarshalStrict([]byte(app), base); err != nil {
					t.Fatal(err)
				}
				if results[i], err = p.apply(base); err != nil {
					t.Fatal(err)
				}
				results[i].TypeMeta = base.TypeMeta
			}
			if d := cmp.Diff(results[1], results[0]); d != "" {
				t.Errorf("merging a part differs from merging the whole (-whole +part):\n%s", d)
			}
		})
	}
}

// TestPatchesThatBecomeMore than they are: a text of a file may end the quotes that a patch puts around it.
func TestPatchesThatBecomeMore(t *testing.T) {
	history := func(values int) string {
		return `{"metadata": {"labels": {"a": "b"}}, "status": {"history": [` + strings.Repeat("null,", values) + `null]}}`
	}
	if _, err := readPatch(history(bounded.MostValues)); err == nil || !strings.Contains(err.Error(), "more than 400000 values") {
		t.Errorf("a patch of too many values: %v", err)
	}
	// What is no part of an Application's status tells that it is not read.
	p, err := readPatch(`{"metadata": {"labels": {"a": "b"}}, "status": {"history": "x"}}`)
	if err != nil {
		t.Fatalf("the status is read: %v", err)
	}
	out, err := p.apply(&v1alpha1.Application{})
	if err != nil || out.Labels["a"] != "b" {
		t.Errorf("the patch makes %+v: %v", out, err)
	}
}

func TestPatchesAreShared(t *testing.T) {
	kept := patches{held: &account{share: 1 << 20, most: 1 << 20}}
	one, err := kept.read("spec: {syncPolicy: {automated: {}}}")
	if err != nil {
		t.Fatal(err)
	}
	a, b := &v1alpha1.Application{}, &v1alpha1.Application{}
	for _, app := range []*v1alpha1.Application{a, b} {
		if _, err := one.apply(app); err != nil {
			t.Fatal(err)
		}
	}
	if a.Spec.SyncPolicy.Automated == b.Spec.SyncPolicy.Automated {
		t.Error("a change of one Application reaches the other")
	}
}

// TestPatchesInJSON: texts of JSON are escaped as JSON has it, whatever else is in them.
func TestPatchesInJSON(t *testing.T) {
	p, err := readPatch(`{"spec": {"info": [{"name": " &a", "value": " *a \/ \ud83d\ude00"}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	app, err := p.apply(&v1alpha1.Application{})
	if err != nil || len(app.Spec.Info) != 1 || app.Spec.Info[0].Value != " *a / \U0001f600" {
		t.Errorf("got %v, %v", app, err)
	}
}

func TestPatchesAreBounded(t *testing.T) {
	for name, text := range map[string]string{
		"JSON": `{"status": {"history": [` + strings.Repeat("null,", bounded.MostValues) + `null]}}`,
		"YAML": "status: {history: [" + strings.Repeat("null,", bounded.MostValues) + "null]}",
	} {
		if _, err := readPatch(text); err == nil || !strings.Contains(err.Error(), "more than 400000 values") {
			t.Errorf("%s of too many values: %.300v", name, err)
		}
	}
}
