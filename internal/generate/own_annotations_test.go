package generate

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestParametersBringNoOwnAnnotations has a text of a file within a patch: it says nothing of the engine's own annotations,
// however it gets out of where it stands. What the template and the words of the patch say counts.
func TestParametersBringNoOwnAnnotations(t *testing.T) {
	const (
		guard = gitops.AnnotationDeletionGuard
		needs = gitops.AnnotationDependsOn
		plain = "metadata:\n  annotations:\n    note: {{.note}}\n"
		named = "metadata:\n  annotations:\n    " + guard + ": 20%\n    note: {{.note}}\n"
	)
	of := func(pairs ...string) map[string]string {
		out := map[string]string{}
		for pair := range slices.Chunk(pairs, 2) {
			out[pair[0]] = pair[1]
		}
		return out
	}
	cases := map[string]struct {
		reason, patch, note string
		// more are annotations of the template.
		more string
		want map[string]string
		warn []string
	}{
		"harmless":         {"a text is a text", plain, "none", "", of(), nil},
		"more keys":        {"it becomes more keys", plain, "x\n    " + guard + ": \"off\"\n    " + needs + ": Application/tils", "", of(), []string{guard, needs}},
		"approval":         {"a person's approval is none of Causeway's own", plain, "x\n    argocd.argoproj.io/deletion-approved: now", "", of(), []string{"argocd.argoproj.io/deletion-approved"}},
		"others":           {"what does not steer this engine is as in Argo CD", plain, "x\n    example.com/a: b", "", of("example.com/a", "b"), nil},
		"twice":            {"the whole part once more", plain, "x\nmetadata: {annotations: {" + guard + ": \"off\"}}", "", of(), []string{guard}},
		"another case":     {"fields are known in letters of any size", plain, "x\nMetadata: {Annotations: {" + guard + ": \"off\"}}", "", of(), []string{guard}},
		"another letter":   {"and by letters that fold to theirs", plain, "x\n  annotation\u017f: {" + guard + ": \"off\"}", "", of(), []string{guard}},
		"changes":          {"it changes what the template has", plain, "x\n    " + guard + ": \"off\"", guard + ": 5%", of(guard, "5%"), []string{guard}},
		"takes away":       {"it takes that away", plain, "x\n    " + guard + ": null", guard + ": 5%", of(guard, "5%"), []string{guard}},
		"takes all away":   {"with all others", plain, "x\n    $patch: replace", guard + ": 5%", of(guard, "5%"), []string{guard}},
		"takes part away":  {"or with the whole part", plain, "x\n  name: web\n  $patch: replace", guard + ": 5%", of(guard, "5%"), []string{guard}},
		"named":            {"a key of the patch counts", named, "none", "", of(guard, "20%"), nil},
		"named and more":   {"of others the text says nothing", named, "x\n    " + needs + ": Application/tils", "", of(guard, "20%"), []string{needs}},
		"named twice":      {"the same key once more is not the patch's", named, "x\n    " + guard + ": \"off\"", guard + ": 5%", of(guard, "20%"), []string{guard}},
		"spelled":          {"nor is it in another spelling", named, "x\n    \"causeway.io\\x2fdeletion-guard\": \"off\"", guard + ": 5%", of(guard, "20%"), []string{guard}},
		"value":            {"a value that the patch leaves to a parameter is the operator's choice", "metadata: {annotations: {" + needs + ": \"{{.note}}\"}}", "Application/a", "", of(needs, "Application/a"), nil},
		"takes its own":    {"the patch takes away what the template has", "metadata: {annotations: {" + guard + ": null}}", "", guard + ": 5%", of(), nil},
		"as JSON":          {"JSON is no other", `{"metadata": {"annotations": {"note": "{{.note}}"}}}`, `x", "` + guard + `": "off`, "", of(), []string{guard}},
		"named in JSON":    {"and its keys count", `{"metadata": {"annotations": {"` + guard + `" : "20%"}}}`, "", "", of(guard, "20%"), nil},
		"longer":           {"a key is no part of another", "metadata: {annotations: {causeway.io/atomic-timeout: 5m, note: {{.note}}}}", "x, causeway.io/atomic: \"true\"", "", of("causeway.io/atomic-timeout", "5m"), []string{"causeway.io/atomic"}},
		"in a comment":     {"a key in a comment is none", "# " + guard + ": 20%\n" + plain, "x\n    " + guard + ": \"off\"", "", of(), []string{guard}},
		"of the template":  {"nor is one in a comment of the template", "{{/* " + guard + ": 20% */}}\n" + plain, "x\n    " + guard + ": \"off\"", "", of(), []string{guard}},
		"in a text":        {"nor is one that a text is about", "metadata:\n  annotations:\n    about: \"see " + guard + ": 20%\"\n    note: {{.note}}\n", "x\n    " + guard + ": \"off\"", "", of("about", "see "+guard+": 20%"), []string{guard}},
		"only a condition": {"a key in a branch that is not taken", "{{if eq .note \"a\"}}metadata: {annotations: {" + guard + ": 20%}}{{else}}{}{{end}}", "b", "", of(), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file, err := yaml.Marshal(map[string]string{"app": "web", "note": tc.note, "v": "1"})
			if err != nil {
				t.Fatal(err)
			}
			patch, err := yaml.Marshal(map[string]string{"templatePatch": tc.patch})
			if err != nil {
				t.Fatal(err)
			}
			const git = "{git: {repoURL: 'https://git.example.com/fleet', revision: main, files: [{path: set.yaml}]}}"
			spec := replaced(goMode("generators: ["+git+"]"), "annotations: {v: '{{.v}}'}", "annotations: {"+tc.more+"}") + "\n" + string(patch)
			repos := fakeRepos{"https://git.example.com/fleet": dirTree{fstest.MapFS{"set.yaml": {Data: file}}}}
			exp, err := New(testFleet(), repos, anyProject{}).Applications(t.Context(), specSet(t, spec))
			if err != nil || len(exp.Applications) != 1 {
				t.Fatalf("%s: got %v, %+v", tc.reason, err, exp.Rejected)
			}
			got := maps.Clone(exp.Applications[0].Annotations)
			if got == nil {
				got = map[string]string{}
			}
			delete(got, "note")
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
			if len(exp.Warnings) != len(tc.warn) {
				t.Fatalf("%s: warned of %+v", tc.reason, exp.Warnings)
			}
			for i, key := range tc.warn {
				if w := exp.Warnings[i].Message; !strings.Contains(w, "ApplicationSet set: templatePatch: ") || !strings.Contains(w, key) || !strings.Contains(w, "web") {
					t.Errorf("%s: warned %q", tc.reason, w)
				}
			}
		})
	}
}
