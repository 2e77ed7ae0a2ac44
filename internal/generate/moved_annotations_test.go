package generate

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// patchedBy expands a set whose patch has the parameters of a file.
func patchedBy(t *testing.T, patch, mode string, file map[string]any) (*Expansion, error) {
	t.Helper()
	parameters := map[string]any{"app": "web", "v": "1"}
	maps.Copy(parameters, file)
	text, err := yaml.Marshal(parameters)
	if err != nil {
		t.Fatal(err)
	}
	more, err := yaml.Marshal(map[string]string{"templatePatch": patch})
	if err != nil {
		t.Fatal(err)
	}
	const git = "generators: [{git: {repoURL: 'https://git.example.com/fleet', revision: main, files: [{path: set.yaml}]}}]"
	spec := goMode(git)
	if mode == "fast" {
		spec = fast(git)
	}
	repos := fakeRepos{"https://git.example.com/fleet": dirTree{fstest.MapFS{"set.yaml": {Data: text}}}}
	return New(testFleet(), repos, anyProject{}).Applications(t.Context(), specSet(t, spec+"\n"+string(more)))
}

// ownOnly are the engine's own among annotations.
func ownOnly(annotations map[string]string) map[string]string {
	out := maps.Clone(annotations)
	maps.DeleteFunc(out, func(key, _ string) bool { return !gitops.OwnAnnotation(key) })
	return out
}

const (
	guardKey = gitops.AnnotationDeletionGuard
	needsKey = gitops.AnnotationDependsOn
)

// TestParametersMoveNoOwnAnnotations has a text of a file that ends what the operator's key stands in: nothing of it
// becomes an Application. What cannot end anything does.
func TestParametersMoveNoOwnAnnotations(t *testing.T) {
	guarded := map[string]string{guardKey: "20%"}
	const flow = "metadata: {annotations: {note: {{.note}}, " + guardKey + ": 20%}}"
	cases := map[string]struct {
		reason, patch, mode string
		file                map[string]any
		want                map[string]string
		// refused is the annotation that the error names; empty for none.
		refused string
	}{
		"flow":       {reason: "a text ends the mapping, and makes a comment of the rest", patch: flow, file: map[string]any{"note": "x, " + guardKey + ": \"off\"}} #"}, refused: guardKey},
		"fast":       {reason: "the same where templates are not Go's", mode: "fast", patch: strings.ReplaceAll(flow, "{{.note}}", "{{note}}"), file: map[string]any{"note": "x, " + guardKey + ": \"off\"}} #"}, refused: guardKey},
		"block":      {reason: "a second document is not read", patch: "metadata:\n  annotations:\n    note: {{.note}}\n    " + guardKey + ": 20%\n", file: map[string]any{"note": "x\n    " + guardKey + ": \"off\"\n---\na: b\nc:"}, refused: guardKey},
		"removed":    {reason: "nor is it lost without another one", patch: "metadata:\n  annotations:\n    note: {{.note}}\n    " + guardKey + ": 20%\n", file: map[string]any{"note": "x\n---\na: b\nc:"}, refused: guardKey},
		"whole part": {reason: "the whole part once more", patch: "metadata:\n  annotations:\n    " + guardKey + ": 20%\n    note: {{.note}}\n", file: map[string]any{"note": "x\nmetadata: {annotations: {" + guardKey + ": \"off\"}}"}, refused: guardKey},
		"JSON": {
			reason: "a text ends the quotes that it stands in, and takes the key to another place",
			patch:  `{"metadata":{"labels":{"n":"{{.note}}"},"annotations":{"` + guardKey + `":"20%"}}}`,
			file:   map[string]any{"note": `x"},"annotations":{"` + guardKey + `":"off"}},"spec":{"x":{"n":"`}, refused: guardKey,
		},
		"elsewhere": {
			reason: "a key that stands elsewhere is none of the Application's",
			patch:  "metadata: {annotations: {a: {{.note}}}}\nspec: {source: {kustomize: {commonAnnotations: {" + needsKey + ": Application/a}}}}",
			file:   map[string]any{"note": "x, " + needsKey + ": Application/b"},
		},
		"moved": {
			reason: "nor does a text move it to where it would be",
			patch:  "spec:\n  source:\n    kustomize:\n      commonAnnotations:\n        n: {{.note}}\n        " + needsKey + ": Application/a\n",
			file:   map[string]any{"note": "x\nmetadata:\n  annotations:\n        a: b"}, refused: needsKey,
		},
		"in a text": {
			reason: "nor is one that stands in a text after a comma",
			patch:  "metadata: {annotations: {about: \"a, " + needsKey + ": x\", n: {{.note}}}}", file: map[string]any{"note": "x, " + needsKey + ": Application/b"},
		},
		"a key":       {reason: "a parameter may be the key", patch: "metadata: {annotations: {about: \"a, " + needsKey + ": x\", {{.k}}: \"off\"}}", file: map[string]any{"k": needsKey}},
		"an action":   {reason: "what an action gives does not stand in the patch", patch: `metadata: {annotations: { {{- printf "` + guardKey + `: %s" .note -}} }}`, file: map[string]any{"note": "20%"}},
		"an alias":    {reason: "a value is another one's, which a text has given its name", patch: "spec: {info: [{name: a, value: &g 20%}, {name: b, value: {{.note}}}]}\nmetadata: {annotations: {" + guardKey + ": *g}}", file: map[string]any{"note": "&g 2%0"}, refused: guardKey},
		"no text":     {reason: "a value that is no text takes nothing away", patch: "metadata:\n  annotations:\n    " + guardKey + ": 5\n    note: {{.note}}\n", file: map[string]any{"note": "x\n    " + guardKey + ": \"5\""}, refused: guardKey},
		"quoted late": {reason: "quotes within a text are none", patch: replaced(flow, "{{.note}}", "see {{.note | toJson}}"), file: map[string]any{"note": ", a: b}} #"}, refused: guardKey},
		"decoded":     {reason: "no sign of a parameter is one of what it is made to", patch: replaced(flow, ".note", ".note | b64dec"), file: map[string]any{"note": "eCwgY2F1c2V3YXkuaW8vZGVsZXRpb24tZ3VhcmQ6ICJvZmYifX0gIw=="}, refused: guardKey},

		"plain":       {reason: "a text without signs", patch: flow, file: map[string]any{"note": "all is well"}, want: guarded},
		"signs":       {reason: "signs that end nothing", patch: flow, file: map[string]any{"note": "https://example.com/a@b+c=d_e-f.g:80/x"}, want: guarded},
		"quoted":      {reason: "a text that is quoted may have any", patch: replaced(flow, ".note", ".note | toJson"), file: map[string]any{"note": "x, " + guardKey + ": \"off\"}} #\n---\n'"}, want: guarded},
		"quote":       {reason: "by each function", patch: replaced(flow, ".note", ".note | quote"), file: map[string]any{"note": "a, b: c"}, want: guarded},
		"in quotes":   {reason: "or by the patch, where it has none", patch: replaced(flow, "{{.note}}", "'{{.note}}'"), file: map[string]any{"note": "a, {b: c}, [#] & *d"}, want: guarded},
		"its value":   {reason: "a value is the parameter's", patch: "metadata: {annotations: {" + needsKey + ": {{.note | quote}}}}", file: map[string]any{"note": "Application/a, Application/b"}, want: map[string]string{needsKey: "Application/a, Application/b"}},
		"escaped":     {reason: "whatever is in it", patch: "metadata: {annotations: {" + needsKey + ": {{.note | toJson}}}}", file: map[string]any{"note": "\"a\"\n<b> \\ q"}, want: map[string]string{needsKey: "\"a\"\n<b> \\ q"}},
		"not quoted":  {reason: "also without quotes", patch: "metadata:\n  annotations:\n    " + needsKey + ": {{.note}}\n", file: map[string]any{"note": "Application/a, Application/b"}, want: map[string]string{needsKey: "Application/a, Application/b"}},
		"part of one": {reason: "and a part of one", patch: "metadata: {annotations: {" + guardKey + ": \"{{.note}}%\"}}", file: map[string]any{"note": " 2,0 "}, want: map[string]string{guardKey: " 2,0 %"}},
		"condition": {
			reason: "a condition looks at what there is", patch: "metadata: {annotations: { {{if eq .note \"a, b\"}}" + guardKey + ": 20%{{else}}" + guardKey + ": 5%{{end}}, n: {{.note | quote}}}}",
			file: map[string]any{"note": "a, b"}, want: guarded,
		},
		"no branch": {reason: "a key that is in no branch is none", patch: "{{if .note}}metadata: {annotations: {x: {{.note | quote}}}}{{else}}metadata: {annotations: {" + guardKey + ": 20%}}{{end}}", file: map[string]any{"note": "a, b"}},
		"range": {
			reason: "as does a loop", patch: "spec: {info: [ {{- range splitList \",\" .note}}{name: {{. | quote}}, value: x}, {{end -}} ]}\nmetadata: {annotations: {" + guardKey + ": 20%}}",
			file: map[string]any{"note": "a: b,c d"}, want: guarded,
		},
		"read":       {reason: "and what reads it", patch: "{{$c := fromJson .note}}metadata: {annotations: {a: {{$c.a}}, " + guardKey + ": {{$c.guard}}}}", file: map[string]any{"note": `{"a": "b", "guard": "20%"}`}, want: guarded},
		"all values": {reason: "YAML is as long as it is", patch: "metadata:\n  annotations:\n    {{- toYaml .all | nindent 4 }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": map[string]any{"a": "b, c: d", "e": "f\ng\n", "h": "!i"}}, want: guarded},
		"their keys": {reason: "and brings no own ones", patch: "metadata:\n  annotations:\n{{ toYaml .all | indent 4 }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": map[string]any{"b": "c, d", needsKey: "Application/a"}}, want: guarded},
		"nested":     {reason: "in whichever order it is written", patch: "metadata:\n  annotations:\n    {{- nindent 4 (toYaml .all) }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": map[string]any{"a": "b, c"}}, want: guarded},
		"object":     {reason: "JSON is, too", patch: `{"metadata": {"labels": {{toJson .all}}, "annotations": {"` + guardKey + `": "20%"}}}`, file: map[string]any{"all": map[string]any{"a": "b", "c": "d"}}, want: guarded},
		"lines":      {reason: "and lines that are indented", patch: "metadata: {annotations: {" + guardKey + ": 20%}}\nspec:\n  source:\n    helm:\n      values: |\n{{ .note | indent 8 }}\n", file: map[string]any{"note": "a: b\nc:\n- d # e\n"}, want: guarded},
		"template":   {reason: "a template within it stands in it", patch: "{{define \"own\"}}" + guardKey + ": 20%{{end}}metadata: {annotations: { {{- template \"own\" .}}, n: {{.note | quote}}}}", file: map[string]any{"note": "a, b"}, want: guarded},
		"twice":      {reason: "the patch may say it twice", patch: "metadata:\n  annotations:\n    " + guardKey + ": 5%\n    " + guardKey + ": 20%\n", want: guarded},
		"common": {
			reason: "what stands elsewhere stays there", patch: "metadata: {annotations: {n: {{.note | quote}}}}\nspec: {source: {kustomize: {commonAnnotations: {" + needsKey + ": '{{.note}}'}}}}",
			file: map[string]any{"note": "Application/a, Application/b"},
		},
		"left":      {reason: "what is left as it is written ends nothing", mode: "fast", patch: replaced(flow, "{{.note}}", "'{{none}}'"), want: guarded},
		"fast mode": {reason: "quotes hold where templates are not Go's", mode: "fast", patch: replaced(flow, "{{.note}}", "'{{note}}'"), file: map[string]any{"note": "a, b: \"c\"}"}, want: guarded},
		"number":    {reason: "a number is below nothing", patch: "metadata: {annotations: {" + guardKey + ": 20%}}\nspec: {revisionHistoryLimit: {{.note}}}", file: map[string]any{"note": -5}, want: guarded},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			exp, err := patchedBy(t, tc.patch, tc.mode, tc.file)
			if tc.refused != "" {
				if err != nil || len(exp.Applications) != 0 || len(exp.Rejected) != 1 || !strings.Contains(exp.Rejected[0].Err.Error(), "may change the annotation "+tc.refused+";") {
					t.Fatalf("%s: got %v, %+v, %+v", tc.reason, err, exp.Applications, exp.Rejected)
				}
				return
			}
			if err != nil || len(exp.Applications) != 1 {
				t.Fatalf("%s: got %v, %+v", tc.reason, err, exp.Rejected)
			}
			if tc.want == nil {
				tc.want = map[string]string{}
			}
			if d := cmp.Diff(tc.want, ownOnly(exp.Applications[0].Annotations)); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}

// TestNoTextMovesOwnAnnotations has texts of what may be a sign of something, at each place of a patch: the guard is
// what it is without them, or nothing becomes of it.
func TestNoTextMovesOwnAnnotations(t *testing.T) {
	pieces := []string{
		"\n", "\n    ", "\n  ", "\n---\n", " ", "  ", ",", ", ", ":", ": ", "{", "}", "}}", "[", "]", "\"", "'", "\\", "#", " # ", "&a ", "*a", "!", "|", ">", "%", "@", "`", "~", "?", "- ", "<<: ",
		"\t", "\r", "\u2028", "a", "b: c", "null", "metadata", "annotations", "spec", guardKey, needsKey, "off", "\"off\"", "$patch: replace", "\x01", "\u00e9", "0",
	}
	patches := []string{
		"metadata: {annotations: {note: {{.note}}, " + guardKey + ": 20%}}",
		"metadata: {annotations: {note: see {{.note | quote}}, " + guardKey + ": 20%}}",
		"metadata: {annotations: {note: \"{{.note}}\", " + guardKey + ": 20%}}",
		"metadata: {annotations: {note: '{{.note}}', " + guardKey + ": '20%'}, labels: {n: {{.note | trim}}}}",
		"metadata:\n  annotations:\n    note: {{.note}}\n    " + guardKey + ": 20%\n",
		"metadata:\n  annotations:\n    note: |\n{{.note | indent 6}}\n    " + guardKey + ": 20% # {{.note}}\n",
		"# {{.note}}\nmetadata:\n  annotations:\n    {{.note}}: a\n    " + guardKey + ": 20%\n",
		`{"metadata":{"labels":{"n":"{{.note}}"},"annotations":{"` + guardKey + `":"20%"}}}`,
		`{"metadata":{"labels":{"n":"{{.note | toJson}}"},"annotations":{"` + guardKey + `":"20%"}}}`,
		`{"metadata":{"annotations":{"` + guardKey + `":"20%","n":{{.note}}}}}`,
	}
	const seed, texts, most = 7, 300, 7
	dice := rand.New(rand.NewPCG(seed, seed))
	for _, patch := range patches {
		more, err := yaml.Marshal(map[string]string{"templatePatch": patch})
		if err != nil {
			t.Fatal(err)
		}
		set := specSet(t, goMode("generators: []")+"\n"+string(more))
		r := newRun(t.Context(), New(testFleet(), testRepo(), anyProject{}), set)
		r.held.share = r.held.most
		for range texts {
			var note strings.Builder
			for range 1 + dice.IntN(most) {
				note.WriteString(pieces[dice.IntN(len(pieces))])
			}
			app, refused, err := r.render(&set.Spec.Template, paramSet{Params: Params{"app": "web", "v": "1", "note": note.String()}})
			if err != nil || refused != nil {
				continue
			}
			if d := cmp.Diff(map[string]string{guardKey: "20%"}, ownOnly(app.Annotations)); d != "" {
				t.Errorf("%q in %q (-want +got):\n%s", note.String(), patch, d)
			}
		}
	}
}
