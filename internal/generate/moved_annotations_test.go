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
	values := map[string]any{"a": "b, c: d", "e": "f", "g": "!i"}
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

		"swallowed": {
			reason: "a mapping has the whole part once more", patch: "metadata: {annotations: {" + guardKey + ": 20%}}\n{{ toYaml .all }}\n",
			file: map[string]any{"all": map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}}}, refused: guardKey,
		},
		"in a comment": {
			reason: "or it ends a comment", patch: "metadata:\n  annotations:\n    " + guardKey + ": 20%\n  # {{ toYaml .all }}\n",
			file: map[string]any{"all": []any{map[string]any{"a": "b", "annotations": map[string]any{"c": "d"}}}}, refused: guardKey,
		},
		"formatted":       {reason: "a format quotes nothing by itself", patch: replaced(flow, "{{.note}}", `{{ printf "%s" .note }}`), file: map[string]any{"note": "x, " + guardKey + ": \"off\"}} #"}, refused: guardKey},
		"any value":       {reason: "nor does the one of any value", patch: replaced(flow, "{{.note}}", `{{ .note | printf "see %v" }}`), file: map[string]any{"note": "x, " + guardKey + ": \"off\"}} #"}, refused: guardKey},
		"no number":       {reason: "nor that of numbers", patch: replaced(flow, "{{.note}}", `{{ printf "a%d" .note }}`), file: map[string]any{"note": "x)}, labels: {a: b}} #"}, refused: guardKey},
		"by its place":    {reason: "nor one that names places", patch: replaced(flow, "{{.note}}", `{{ printf "%[1]s" .note }}`), file: map[string]any{"note": "x}, labels: {a: b}} #"}, refused: guardKey},
		"one too many":    {reason: "nor one that is given too much", patch: replaced(flow, "{{.note}}", `{{ printf "a" .note }}`), file: map[string]any{"note": "x)}, labels: {a: b}} #"}, refused: guardKey},
		"beside a quoted": {reason: "what is not quoted does", patch: replaced(flow, "note: {{.note}}", `a: b, {{ printf "%s: %q" .note .app }}`), file: map[string]any{"note": "x: c}, labels: {a: b}} #"}, refused: guardKey},
		"trimmed":         {reason: "a trimmed text is one", patch: replaced(flow, ".note", ".note | trim | trimSuffix \"\\n\""), file: map[string]any{"note": "x, " + guardKey + ": \"off\"}} #"}, refused: guardKey},
		"trimmed lines":   {reason: "and so are lines", patch: replaced(flow, ".note", ".note | indent 4 | trim"), file: map[string]any{"note": "x,\na: b}} #"}, refused: guardKey},
		"of a constant":   {reason: "a function of a parameter is none of the set", patch: replaced(flow, ".note", `"a" | replace "a" .note`), file: map[string]any{"note": "x, a: b}} #"}, refused: guardKey},

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
		"read":           {reason: "and what reads it", patch: "{{$c := fromJson .note}}metadata: {annotations: {a: {{$c.a}}, " + guardKey + ": {{$c.guard}}}}", file: map[string]any{"note": `{"a": "b", "guard": "20%"}`}, want: guarded},
		"all values":     {reason: "YAML is as long as it is", patch: "metadata:\n  annotations:\n    {{- toYaml .all | nindent 4 }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": map[string]any{"a": "b, c: d", "e": "f\ng\n", "h": "!i"}}, want: guarded},
		"their keys":     {reason: "and brings no own ones", patch: "metadata:\n  annotations:\n{{ toYaml .all | indent 4 }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": map[string]any{"b": "c, d", needsKey: "Application/a"}}, want: guarded},
		"nested":         {reason: "in whichever order it is written", patch: "metadata:\n  annotations:\n    {{- nindent 4 (toYaml .all) }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": map[string]any{"a": "b, c"}}, want: guarded},
		"object":         {reason: "JSON is, too", patch: `{"metadata": {"labels": {{toJson .all}}, "annotations": {"` + guardKey + `": "20%"}}}`, file: map[string]any{"all": map[string]any{"a": "b", "c": "d"}}, want: guarded},
		"lines":          {reason: "and lines that are indented", patch: "metadata: {annotations: {" + guardKey + ": 20%}}\nspec:\n  source:\n    helm:\n      values: |\n{{ .note | indent 8 }}\n", file: map[string]any{"note": "a: b\nc:\n- d # e\n"}, want: guarded},
		"template":       {reason: "a template within it stands in it", patch: "{{define \"own\"}}" + guardKey + ": 20%{{end}}metadata: {annotations: { {{- template \"own\" .}}, n: {{.note | quote}}}}", file: map[string]any{"note": "a, b"}, want: guarded},
		"trimmed values": {reason: "it is the same when it is trimmed", patch: "metadata:\n  annotations:\n    {{- toYaml .all | trim | nindent 4 }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": values}, want: guarded},
		"trimmed indent": {reason: "or only its first line is", patch: "metadata:\n  annotations:\n    {{ toYaml .all | indent 4 | trim }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": values}, want: guarded},
		"trimmed deep":   {reason: "however deep it is", patch: "metadata: {annotations: {" + guardKey + ": 20%}}\nspec:\n  info:\n    {{ toYaml .all | indent 4 | trim }}\n    - {name: b, value: c}\n", file: map[string]any{"all": []any{map[string]any{"name": "a, b", "value": "c"}}}, want: guarded},
		"trimmed end":    {reason: "or its end", patch: "metadata:\n  annotations:\n    {{- toYaml .all | trimSuffix \"\\n\" | nindent 4 }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": values}, want: guarded},
		"each value":     {reason: "a format is its verbs", patch: "metadata:\n  annotations:\n    {{- range $k, $v := .all }}\n    {{ printf \"%s: %q\" $k $v }}\n    {{- end }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": values}, want: guarded},
		"each indented":  {reason: "also where it is indented", patch: "metadata:\n  annotations:\n    {{- range $k, $v := .all }}\n    {{- $v | toJson | printf \"%s: %s\" $k | nindent 4 }}\n    {{- end }}\n    " + guardKey + ": 20%\n", file: map[string]any{"all": values}, want: guarded},
		"constant":       {reason: "what no parameter stands in is the operator's", patch: "metadata:\n  annotations:\n    {{ \"a: b\" }}\n    {{- nindent 4 (printf \"%s: 'c'\" \"b\") }}\n    " + guardKey + ": 20%\n    n: {{ .note | quote }}\n", file: map[string]any{"note": "a, b"}, want: guarded},
		"constant key":   {reason: "but a key counts only outside of actions", patch: "metadata:\n  annotations:\n    {{ \"" + guardKey + ": 20%\" }}\n"},
		"pretty":         {reason: "JSON has the lines that it has", patch: "metadata:\n  annotations:\n    " + needsKey + ": |\n      {{- toPrettyJson .all | nindent 6 }}\n", file: map[string]any{"all": []any{"cert-manager"}}, want: map[string]string{needsKey: "[\n  \"cert-manager\"\n]"}},
		"pretty signs":   {reason: "whatever is in it", patch: "metadata:\n  annotations:\n    " + needsKey + ": |\n      {{- toPrettyJson .all | nindent 6 }}\n", file: map[string]any{"all": []any{"cert, \"manager\""}}, want: map[string]string{needsKey: "[\n  \"cert, \\\"manager\\\"\"\n]"}},
		"plain YAML":     {reason: "a text of YAML may be in quotes", patch: "metadata: {annotations: {" + needsKey + ": '{{ toYaml .note }}'}}", file: map[string]any{"note": "Application/infra"}, want: map[string]string{needsKey: "Application/infra"}},
		"part of YAML":   {reason: "or a part of a text", patch: "metadata: {annotations: {" + needsKey + ": Application/{{ toYaml .note }}}}", file: map[string]any{"note": "infra"}, want: map[string]string{needsKey: "Application/infra"}},
		"named so":       {reason: "also the name of what annotations stand in", patch: "metadata: {annotations: {" + needsKey + ": Application/{{ toYaml .note }}}}", file: map[string]any{"note": "metadata"}, want: map[string]string{needsKey: "Application/metadata"}},
		"YAML in quotes": {reason: "anywhere", patch: "metadata: {annotations: {" + guardKey + ": 20%, a: \"{{ toYaml .note }}\", b: \"{{ toYaml .all }}\", c: '{{ toYaml .v }}'}}", file: map[string]any{"note": "a, b", "v": "c", "all": map[string]any{"a": "b: c, d"}}, want: guarded},
		"quoted YAML":    {reason: "also where it is quoted itself", patch: "metadata: {annotations: {" + guardKey + ": 20%, a: \"{{ toYaml .note }}\"}}", file: map[string]any{"note": "a: b"}, want: guarded},
		"before it":      {reason: "the last part is the operator's", patch: "{{ toYaml .all }}\nmetadata: {annotations: {" + guardKey + ": 20%}}\n", file: map[string]any{"all": map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "b"}}}}, want: guarded},
		"twice":          {reason: "the patch may say it twice", patch: "metadata:\n  annotations:\n    " + guardKey + ": 5%\n    " + guardKey + ": 20%\n", want: guarded},
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
// what it is without them, or nothing becomes of it. That what harms nothing passes is counted.
func TestNoTextMovesOwnAnnotations(t *testing.T) {
	pieces := []string{
		"\n", "\n    ", "\n  ", "\n---\n", " ", "  ", ",", ", ", ":", ": ", "{", "}", "}}", "[", "]", "\"", "'", "\\", "#", " # ", "&a ", "*a", "!", "|", ">", "%", "@", "`", "~", "?", "- ", "<<: ",
		"\t", "\r", "\u2028", "a", "b: c", "null", "metadata", "annotations", "spec", guardKey, needsKey, "off", "\"off\"", "$patch: replace", "\x01", "\u00e9", "0",
	}
	cases := []struct {
		patch string
		// passed are the least of the texts that harm nothing there.
		passed int
	}{
		{"metadata: {annotations: {note: {{.note}}, " + guardKey + ": 20%}}", 30},
		{"metadata: {annotations: {note: see {{.note | quote}}, " + guardKey + ": 20%}}", 80},
		{"metadata: {annotations: {note: \"{{.note}}\", " + guardKey + ": 20%}}", 150},
		{"metadata: {annotations: {note: '{{.note}}', " + guardKey + ": '20%'}, labels: {n: {{.note | trim}}}}", 40},
		{"metadata:\n  annotations:\n    note: {{.note}}\n    " + guardKey + ": 20%\n", 50},
		{"metadata:\n  annotations:\n    note: |\n{{.note | indent 6}}\n    " + guardKey + ": 20% # {{.note}}\n", 150},
		{"# {{.note}}\nmetadata:\n  annotations:\n    {{.note}}: a\n    " + guardKey + ": 20%\n", 30},
		{`{"metadata":{"labels":{"n":"{{.note}}"},"annotations":{"` + guardKey + `":"20%"}}}`, 100},
		{`{"metadata":{"labels":{"n":{{.note | toJson}}},"annotations":{"` + guardKey + `":"20%"}}}`, 300},
		{`{"metadata":{"labels":{"n":"{{.note | toJson | trimAll "\""}}"},"annotations":{"` + guardKey + `":"20%"}}}`, 200},
		{`{"metadata":{"annotations":{"` + guardKey + `":"20%","n":{{.note}}}}}`, 1},
		{"metadata: {annotations: {note: {{.note | toYaml | trim}}, " + guardKey + ": 20%}}", 200},
		{"metadata:\n  annotations:\n    {{ printf \"%s: %q\" .note .note }}\n    " + guardKey + ": 20%\n", 30},
		{"metadata:\n  annotations:\n    note: a\n    {{- printf \"n: %s\" .note | nindent 4 }}\n    " + guardKey + ": 20%\n", 50},
		{"metadata:\n  annotations:\n    {{- toYaml .flat | trim | nindent 4 }}\n    " + guardKey + ": 20%\n", 200},
		{"metadata:\n  annotations:\n    " + guardKey + ": 20%\n    {{ toYaml .flat | indent 4 | trim }}\n", 200},
		{"metadata: {annotations: {" + guardKey + ": 20%}}\n{{ toYaml .deep }}\n", 200},
		{"metadata:\n  annotations:\n    " + guardKey + ": 20%\n  # {{ toYaml (list .deep) }}\n", 150},
		{"metadata:\n  annotations:\n    n: |\n{{ toPrettyJson .deep | indent 6 }}\n    " + guardKey + ": 20%\n", 300},
		{"metadata: {annotations: {" + guardKey + ": 20%,\n  note: {{ toPrettyJson .note }}, n: \"{{ toYaml .note }}\"}}", 100},
	}
	const seed, texts, most = 7, 300, 7
	for _, tc := range cases {
		dice := rand.New(rand.NewPCG(seed, seed))
		more, err := yaml.Marshal(map[string]string{"templatePatch": tc.patch})
		if err != nil {
			t.Fatal(err)
		}
		set := specSet(t, goMode("generators: []")+"\n"+string(more))
		r := newRun(t.Context(), New(testFleet(), testRepo(), anyProject{}), set)
		r.held.share = r.held.most
		piece := func() string { return pieces[dice.IntN(len(pieces))] }
		passed := 0
		for range texts {
			var note strings.Builder
			for range 1 + dice.IntN(most) {
				note.WriteString(piece())
			}
			app, refused, err := r.render(&set.Spec.Template, paramSet{Params: Params{
				"app": "web", "v": "1", "note": note.String(), "flat": map[string]any{piece(): note.String(), piece(): piece()},
				"deep": map[string]any{piece(): note.String(), piece(): map[string]any{piece(): piece()}},
			}})
			if err != nil || refused != nil {
				continue
			}
			passed++
			if d := cmp.Diff(map[string]string{guardKey: "20%"}, ownOnly(app.Annotations)); d != "" {
				t.Errorf("%q in %q (-want +got):\n%s", note.String(), tc.patch, d)
			}
		}
		if passed < tc.passed {
			t.Errorf("only %d of %d texts passed, not %d, in %q", passed, texts, tc.passed, tc.patch)
		}
	}
}
