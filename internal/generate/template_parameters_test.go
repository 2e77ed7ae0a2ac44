package generate

import (
	"context"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
)

func TestAsksOfGoTemplates(t *testing.T) {
	for text, want := range map[string][]string{
		`{{.name}}-{{.metadata.labels.env}}`:                     {"name", "metadata.labels.env"},
		`{{index .metadata.labels "example.com/tier"}}`:          {"metadata.labels.example.com/tier"},
		`{{index .metadata "labels" "env"}}`:                     {"metadata.labels.env"},
		`{{get .values "x"}}`:                                    {"values.x"},
		`{{(index .metadata "labels").env}}`:                     {"metadata.labels.env"},
		`{{.metadata.labels.env | upper | quote}}`:               {"metadata.labels.env"},
		`{{default "x" .metadata.annotations.a}}`:                {"metadata.annotations.a?"},
		`{{.metadata.annotations.a | default "x"}}`:              {"metadata.annotations.a?"},
		`{{dig "labels" "env" "x" .metadata}}`:                   {"metadata.labels.env?"},
		`{{.metadata | dig "labels" "env" "x"}}`:                 {"metadata.labels.env?"},
		`{{if hasKey .metadata.labels "a"}}{{.values.b}}{{end}}`: {"metadata.labels?", "values.b"},
		`{{if eq .metadata.labels.env "prod"}}x{{end}}`:          {"metadata.labels.env?"},
		`{{with .metadata.labels}}{{.env}}{{$.name}}{{end}}`:     {"metadata.labels?", "metadata.labels.env", "name"},
		`{{$l := .metadata.labels}}{{$l.env}}`:                   {"metadata.labels?", "metadata.labels.env"},
		`{{range $k, $v := .metadata.labels}}{{$k}}{{.x}}{{end}}`: {
			"metadata.labels?",
		},
		`{{range .clusters}}{{.name}}{{$.set}}{{end}}`: {"clusters?", "set"},
		`{{toYaml .}}`: {"."},
		`{{template "t" .values}}{{define "t"}}x{{end}}`: {"values"},
		`{{printf "%s/%s" .a .b}}`:                       {"a", "b"},
		`{{index .path.segments 1}}`:                     {"path.segments"},
		`{{$k := "env"}}{{index .metadata.labels $k}}`:   {"metadata.labels"},
		// Keys that are known only when the template runs decide themselves.
		`{{index .metadata.labels .metadata.annotations.which}}`: {"metadata.labels", "metadata.annotations.which?"},
		`{{(index .metadata .values.kind).env}}`:                 {"metadata", "values.kind?"},
		`{{index (index .metadata .values.kind) "env"}}`:         {"metadata", "values.kind?"},
		`{{dig .name "env" .values.x .metadata}}`:                {"metadata?", "name?", "values.x?"},
		`{{.metadata | dig "labels" .name .values.x}}`:           {"metadata.labels?", "name?", "values.x?"},
		`{{fromJson .name | dig "a" "b" .metadata}}`:             {"name?", "metadata?"},
		"{{" + strings.Repeat(".a", mostPath+1) + "}}":           {"."},
		`plain {{/* comment */}}`:                                nil,
	} {
		parsed, err := template.New("main").Funcs(functions(100, uncounted{})).Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range asksOf(parsed.Tree) {
			key := a.key()
			if a.maybe {
				key += "?"
			}
			got = append(got, key)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", text, d)
		}
	}
}

func TestReadsAsks(t *testing.T) {
	r := Reads{Keys: []string{"metadata.labels", "values.x"}}
	for key, want := range map[string]bool{
		"metadata.labels.env": true, "metadata.labels": true, "metadata.labelsx": false, "metadata.annotations.a": false, "values.x": true, "values.xy": false,
	} {
		if r.Asks(key) != want {
			t.Errorf("%s: %v", key, !want)
		}
	}
	if !(Reads{Keys: []string{"."}}).Asks("anything") {
		t.Error("a template that takes all parameters asks for each")
	}
}

// TestKeysOfBothModes: what a set depends on is the same in both modes.
func TestKeysOfBothModes(t *testing.T) {
	const generators = "generators: [{merge: {mergeKeys: [server], generators: [{clusters: {selector: {matchLabels: {env: dev}}, values: {app: '%s'}}}, {clusters: {selector: {matchExpressions: [{key: tier, operator: Exists}]}}, selector: {matchLabels: {name: prod}}}]}}]"
	want := []string{"metadata.annotations.owner", "metadata.labels.env", "metadata.labels.tier", "name", "nameNormalized", "server", "values.app"}
	specs := map[string]string{
		"fast": replaced(fast(generators), "%s", "{{metadata.annotations.owner}}", "'{{app}}'", "'{{nameNormalized}}-{{values.app}}'", "{{v}}", "v"),
		"go":   replaced(goMode(generators), "%s", "{{.metadata.annotations.owner}}", "'{{.app}}'", "'{{.nameNormalized}}-{{index .values \"app\"}}'", "{{.v}}", "v"),
	}
	for mode, spec := range specs {
		exp, err := testGenerator().Applications(context.Background(), specSet(t, spec))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, exp.Reads.Keys); d != "" {
			t.Errorf("%s mode (-want +got):\n%s", mode, d)
		}
	}
}

func TestWarningsOfSilence(t *testing.T) {
	for name, c := range map[string]struct {
		reason, spec string
		want         []string
		key          string
		clusters     []string
	}{
		"go key": {
			reason: "the key is named, with the clusters that lack it",
			spec:   replaced(goMode("generators: [{clusters: {}}]"), "{{.app}}", "{{.nameNormalized}}", "{{.v}}", "{{ printf \"%v\" .metadata.labels.missing }}", "generators: [{clusters: {}}]", "generators: [{clusters: {selector: {matchLabels: {env: prod}}}}]"),
			want:   []string{"UnknownParameter"}, key: "metadata.labels.missing",
		},
		"go no value": {
			reason: "of several keys the one that is missing is told",
			spec:   replaced(goMode("generators: [{clusters: {selector: {matchExpressions: [{key: env, operator: Exists}]}}}]"), "{{.app}}", "{{.nameNormalized}}", "{{.v}}", "{{.metadata.labels.env}} {{index .metadata.labels \"env\"}} {{.values.x}}"),
			want:   []string{"UnresolvedParameter"}, key: "values.x", clusters: []string{"Dev_EU", "prod"},
		},
		"index": {
			reason: "an index gives an empty text, and no sign of it",
			spec:   replaced(goMode("generators: [{clusters: {selector: {matchLabels: {env: prod}}}}]"), "{{.app}}", "{{.name}}", "{{.v}}", "{{index .metadata.labels \"nowhere\"}}"),
			want:   []string{"UnknownParameter"}, key: "metadata.labels.nowhere",
		},
		"default": {
			reason: "who gives a default knows",
			spec:   replaced(goMode("generators: [{clusters: {selector: {matchLabels: {env: prod}}}}]"), "{{.app}}", "{{.name}}", "{{.v}}", "{{index .metadata.labels \"nowhere\" | default \"x\"}}"),
		},
		"on some": {
			reason: "that it is nowhere is a mistake; that it is not everywhere need not be",
			spec:   replaced(goMode("generators: [{clusters: {selector: {matchExpressions: [{key: env, operator: Exists}]}}}]"), "{{.app}}", "{{.nameNormalized}}", "{{.v}}", "{{index .metadata.labels \"example.com/tier\"}}"),
		},
		"cluster selector": {
			reason: "with the place", want: []string{"SelectorMatchesNothing"},
			spec: fast("generators: [{list: {elements: [{app: a, v: x}]}}, {clusters: {selector: {matchLabels: {env: '100%'}}}}]"),
		},
		"generator selector": {
			reason: "over all times that the generator was asked", want: []string{"SelectorMatchesNothing"},
			spec: fast("generators: [{matrix: {generators: [{list: {elements: [{app: a}, {app: b}]}}, {list: {elements: [{v: x}]}, selector: {matchLabels: {v: '%d'}}}]}}]"),
		},
		"selector that matches once": {
			reason: "one match is enough",
			spec:   fast("generators: [{matrix: {generators: [{list: {elements: [{app: a}, {app: b}]}}, {list: {elements: [{v: '{{app}}'}]}, selector: {matchLabels: {v: b}}}]}}]"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := strings.ReplaceAll(c.spec, "env: '100%'", "env: none")
			exp, err := testGenerator().Applications(context.Background(), specSet(t, spec))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, w := range exp.Warnings {
				got = append(got, w.Reason)
				if w.Key != c.key || !slices.Equal(w.Clusters, c.clusters) {
					t.Errorf("%s: key %q of %v, want %q of %v", c.reason, w.Key, w.Clusters, c.key, c.clusters)
				}
				if w.Reason == "SelectorMatchesNothing" && (!strings.Contains(w.Message, "generator ") || strings.Contains(w.Message, "%!")) {
					t.Errorf("%s: %s", c.reason, w.Message)
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s\n%v", c.reason, d, exp.Warnings)
			}
		})
	}
}

func TestPositionsInErrors(t *testing.T) {
	for name, c := range map[string]struct{ spec, want string }{
		"merge keys":       {"generators: [{list: {elements: []}}, {merge: {mergeKeys: [app], generators: [{list: {elements: [{app: a}]}}, {list: {elements: [{app: b}, {app: b}]}}]}}]", `generator 2: generator 2 of the merge: two parameter sets have the merge keys {"app":"b"}`},
		"selector":         {"generators: [{matrix: {generators: [{list: {elements: [{app: a}]}}, {list: {elements: [{v: b}]}, selector: {matchExpressions: [{key: v, operator: Near}]}}]}}]", `generator 1: second generator of the matrix: cannot use the generator's selector: key "v": unknown operator`},
		"cluster selector": {"generators: [{merge: {mergeKeys: [app], generators: [{list: {elements: [{app: a}]}}, {clusters: {selector: {matchExpressions: [{key: a, operator: In}]}}}]}}]", "generator 1: generator 2 of the merge: cannot use the selector of the clusters generator"},
	} {
		_, err := testGenerator().Applications(context.Background(), specSet(t, fast(c.spec)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEqualNamesTellTheirGenerators(t *testing.T) {
	exp, err := testGenerator().Applications(context.Background(), specSet(t, fast("generators: [{list: {elements: [{app: a, v: '1'}]}}, {list: {elements: [{app: a, v: '2'}]}}]")))
	if err != nil || len(exp.Rejected) != 1 {
		t.Fatalf("%v, %v", exp, err)
	}
	if text := exp.Rejected[0].Err.Error(); !strings.Contains(text, `{app="a", v="1"} of generator 1 and {app="a", v="2"} of generator 2`) {
		t.Error(text)
	}
}
