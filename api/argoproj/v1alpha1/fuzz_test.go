package v1alpha1

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"
)

// FuzzApplicationDecode holds that no text makes decoding panic, and that what
// was decoded is written in a form that stays. The first turn drops empty
// fields; the second drops what has become empty by that, such as a status.
func FuzzApplicationDecode(f *testing.F) {
	for _, seed := range []string{
		"",
		"null",
		"spec: {source: {repoURL: https://example.com/r.git, helm: {valuesObject: {a: [1, null]}}}}",
		"spec: {sources: [{kustomize: {replicas: [{name: a, count: 3}, {name: b, count: $N}]}}]}",
		"spec: {source: {plugin: {parameters: [{name: a, map: {}}, {name: b, array: []}, {name: c, string: ''}]}}}",
		"status: {conditions: [], sync: {revisions: []}}",
		"status: {reconciledAt: 2024-01-01T00:00:00Z, history: [{id: 1, deployedAt: null}]}",
		"operation: {sync: {syncStrategy: {hook: {force: true}}}, retry: {limit: -1, backoff: {factor: 2}}}",
	} {
		f.Add([]byte(seed))
	}
	seedFromCorpus(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		object, err := yaml.YAMLToJSON(text)
		if err != nil {
			return
		}
		for _, kind := range []string{ApplicationKind, ApplicationSetKind, AppProjectKind} {
			once, err := recode(kind, object)
			if err != nil {
				continue
			}
			twice := mustRecode(t, kind, once)
			thrice := mustRecode(t, kind, twice)
			if string(twice) != string(thrice) {
				t.Fatalf("%s changes with each turn:\n%s\n%s", kind, twice, thrice)
			}
		}
	})
}

func mustRecode(t *testing.T, kind string, text []byte) []byte {
	t.Helper()
	out, err := recode(kind, text)
	if err != nil {
		t.Fatalf("%s cannot be decoded from what was encoded: %v\n%s", kind, err, text)
	}
	return out
}

// seedFromCorpus adds files that hold real objects, where they are at hand.
func seedFromCorpus(f *testing.F) {
	files, err := filepath.Glob("../../../../shared/corpus/cnoe-io__stacks/*/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
}
