package generate

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// What a pointer does not meet is left as it is: a rule is for all Applications of a set, and
// not each has the field.
func TestPointersTakeWhatIsThere(t *testing.T) {
	const object = `{"spec": {"a/b": 1, "m~n": 2, "~1": 3, "": 4, "list": [{"x": 1}, {"x": 2}, 3]}}`
	for name, tc := range map[string]struct {
		reason string
		path   []string
		want   string
	}{
		"Field":     {"with what is below it", []string{"spec"}, `{}`},
		"Slash":     {"a slash within a name", []string{"spec", "a~1b"}, `{"spec": {"m~n": 2, "~1": 3, "": 4, "list": [{"x": 1}, {"x": 2}, 3]}}`},
		"Tilde":     {"a tilde within a name", []string{"spec", "m~0n"}, `{"spec": {"a/b": 1, "~1": 3, "": 4, "list": [{"x": 1}, {"x": 2}, 3]}}`},
		"Both":      {"what looks like the one and is the other", []string{"spec", "~01"}, `{"spec": {"a/b": 1, "m~n": 2, "": 4, "list": [{"x": 1}, {"x": 2}, 3]}}`},
		"Nameless":  {"a name may be empty", []string{"spec", ""}, `{"spec": {"a/b": 1, "m~n": 2, "~1": 3, "list": [{"x": 1}, {"x": 2}, 3]}}`},
		"Item":      {"one of a list", []string{"spec", "list", "1"}, `{"spec": {"a/b": 1, "m~n": 2, "~1": 3, "": 4, "list": [{"x": 1}, 3]}}`},
		"Within":    {"a field of one of a list", []string{"spec", "list", "0", "x"}, `{"spec": {"a/b": 1, "m~n": 2, "~1": 3, "": 4, "list": [{}, {"x": 2}, 3]}}`},
		"Last":      {"the last one", []string{"spec", "list", "2"}, `{"spec": {"a/b": 1, "m~n": 2, "~1": 3, "": 4, "list": [{"x": 1}, {"x": 2}]}}`},
		"Beyond":    {"one that is not there", []string{"spec", "list", "3"}, object},
		"Before":    {"nor one before the first", []string{"spec", "list", "-1"}, object},
		"NoNumber":  {"a list has numbers", []string{"spec", "list", "x"}, object},
		"Missing":   {"a field that is not there", []string{"spec", "none", "x"}, object},
		"Scalar":    {"what has no fields", []string{"spec", "a~1b", "x"}, object},
		"Elsewhere": {"nothing at the top", []string{"status"}, object},
		"Nowhere":   {"a pointer to all takes nothing", nil, object},
	} {
		t.Run(name, func(t *testing.T) {
			var value, want any
			if err := errors.Join(json.Unmarshal([]byte(object), &value), json.Unmarshal([]byte(tc.want), &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, removePointer(value, tc.path)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}

// A rule with a name is for the Application of that name alone; without rules nothing is
// copied, and one that takes what makes an Application is refused rather than read as another.
func TestRulesOfIgnoredFields(t *testing.T) {
	app := parseApp(t, "{metadata: {name: a}, spec: {project: p, destination: {name: d}, source: {repoURL: r, path: x}}}")
	rule := func(name string, pointers ...string) v1alpha1.ApplicationSetIgnoreDifferences {
		return v1alpha1.ApplicationSetIgnoreDifferences{{Name: name, JSONPointers: pointers}}
	}
	for name, tc := range map[string]struct {
		reason string
		rules  v1alpha1.ApplicationSetIgnoreDifferences
		want   string
	}{
		"All":     {"of all", rule("", "/spec/source/path", "spec/destination/name"), "{metadata: {name: a}, spec: {project: p, destination: {}, source: {repoURL: r}}}"},
		"Own":     {"of its own", rule("a", "/spec/source/path"), "{metadata: {name: a}, spec: {project: p, destination: {name: d}, source: {repoURL: r}}}"},
		"Other":   {"of another one", rule("b", "/spec/source/path"), "{metadata: {name: a}, spec: {project: p, destination: {name: d}, source: {repoURL: r, path: x}}}"},
		"Project": {"what means the default afterwards is that", rule("", "/spec/project"), "{metadata: {name: a}, spec: {project: default, destination: {name: d}, source: {repoURL: r, path: x}}}"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := withoutIgnored(t.Context(), app, "a", tc.rules)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parseApp(t, tc.want), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
	if got, err := withoutIgnored(t.Context(), app, "a", nil); err != nil || got != app {
		t.Errorf("without rules there is another one: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := withoutIgnored(ended, app, "a", rule("", "/x")); !errors.Is(err, context.Canceled) {
		t.Errorf("rules are followed when nobody waits: %v", err)
	}
	if app.Spec.Source.Path != "x" {
		t.Error("the Application was modified")
	}
}

// What means nothing is no difference between an Application and what its set says: it would
// be written at each look. What looks like nothing and means something stays.
func TestSettingsThatMeanNothing(t *testing.T) {
	const whole = "{metadata: {name: a}, spec: {project: p, destination: {name: d}, %s}}"
	for name, tc := range map[string]struct{ reason, has, want string }{
		"Policy":      {"an empty syncPolicy", "syncPolicy: {}", ""},
		"Options":     {"with an empty list", "syncPolicy: {syncOptions: []}", ""},
		"Automated":   {"automated without anything is automated", "syncPolicy: {automated: {}}", "syncPolicy: {automated: {}}"},
		"Retry":       {"a retry without anything has defaults", "syncPolicy: {retry: {}}", "syncPolicy: {retry: {}}"},
		"Namespace":   {"metadata of a namespace has it managed", "syncPolicy: {managedNamespaceMetadata: {}}", "syncPolicy: {managedNamespaceMetadata: {}}"},
		"Helm":        {"empty settings of a tool", "source: {repoURL: r, helm: {parameters: []}}", "source: {repoURL: r}"},
		"Release":     {"settings that say something", "source: {repoURL: r, helm: {skipCrds: true}}", "source: {repoURL: r, helm: {skipCrds: true}}"},
		"Directory":   {"of a folder", "source: {repoURL: r, directory: {jsonnet: {libs: []}}}", "source: {repoURL: r}"},
		"Kustomize":   {"of Kustomize, how labels are set that nobody gives", "source: {repoURL: r, kustomize: {forceCommonLabels: true, labelWithoutSelector: true}}", "source: {repoURL: r}"},
		"Labels":      {"which counts where somebody does", "source: {repoURL: r, kustomize: {forceCommonLabels: true, commonLabels: {a: b}}}", "source: {repoURL: r, kustomize: {forceCommonLabels: true, commonLabels: {a: b}}}"},
		"Sources":     {"each of several", "sources: [{repoURL: r, helm: {}}, {repoURL: s, helm: {version: v3}}]", "sources: [{repoURL: r}, {repoURL: s, helm: {version: v3}}]"},
		"SourcesWith": {"one beside several is not what is deployed, and stays as it is", "source: {repoURL: r, helm: {}}, sources: [{repoURL: s, directory: {}}]", "source: {repoURL: r, helm: {}}, sources: [{repoURL: s}]"},
	} {
		t.Run(name, func(t *testing.T) {
			app := parseApp(t, replaced(whole, "%s", tc.has))
			if diff := cmp.Diff(parseApp(t, replaced(whole, "%s", tc.want)), normalized(app)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(parseApp(t, replaced(whole, "%s", tc.has)), app); diff != "" {
				t.Errorf("%s: it was modified: %s", tc.reason, diff)
			}
		})
	}
}
