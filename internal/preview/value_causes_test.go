package preview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/redact"
	"github.com/causeway-gitops/causeway/internal/render"
)

// valueOf is a value with its layers, each as kind, name and value; the last one wins.
func valueOf(path string, layers ...gitops.Layer) gitops.Value {
	return gitops.Value{Path: strings.Split(path, "."), Layers: layers}
}

// inFile is a layer of a value file.
func inFile(file string, line int, v any) gitops.Layer {
	return gitops.Layer{Kind: gitops.LayerValueFile, Name: file, Value: v, Origin: gitops.Origin{File: file, Line: line}}
}

func TestValuesThatLeadToAChange(t *testing.T) {
	one := func(values ...gitops.Value) []render.SourceValues { return []render.SourceValues{{Values: values}} }
	two := func(first, second any) []render.SourceValues {
		return []render.SourceValues{{Source: 0, Values: []gitops.Value{valueOf("replicas", inFile("a.yaml", 1, first))}}, {Source: 2, Values: []gitops.Value{valueOf("replicas", inFile("b.yaml", 1, second))}}}
	}
	layer := func(kind gitops.LayerKind, name string, v any) gitops.Layer {
		return gitops.Layer{Kind: kind, Name: name, Value: v}
	}
	cases := map[string]struct {
		reason        string
		before, after []render.SourceValues
		want          []string
	}{
		"Same":      {"the same value of another layer is no change", one(valueOf("a", inFile("x.yaml", 1, "1"))), one(valueOf("a", inFile("x.yaml", 1, "0"), inFile("z.yaml", 2, "1"))), nil},
		"Winner":    {"the layer that wins is named", one(valueOf("a.b", inFile("x.yaml", 1, int64(1)))), one(valueOf("a.b", inFile("x.yaml", 1, int64(1)), inFile("z.yaml", 7, int64(2)))), []string{"z.yaml: a.b 1 → 2 z.yaml:7"}},
		"Comes":     {"there was none", nil, one(valueOf("a", inFile("x.yaml", 1, false))), []string{"x.yaml: a (none) → false x.yaml:1"}},
		"Goes":      {"there is none any more", one(valueOf("a", inFile("x.yaml", 3, "1"))), one(), []string{"x.yaml: a is not set any more x.yaml:3"}},
		"Sources":   {"sources may have values of one name", two("1", "5"), two("2", "5"), []string{"a.yaml: replicas 1 → 2 a.yaml:1"}},
		"SecondOne": {"whichever changes", two("1", "5"), two("1", "6"), []string{"b.yaml: replicas 5 → 6 b.yaml:1"}},
		"Parameter": {"a parameter has no file", one(valueOf("a", layer(gitops.LayerParameter, "a", "1"))), one(valueOf("a", layer(gitops.LayerFileParameter, "a", "2"))), []string{"parameter: a 1 → 2 :0"}},
		"Inline":    {"values of the Application itself", nil, one(valueOf("a", layer(gitops.LayerValues, "values", "2"))), []string{"values of the Application: a (none) → 2 :0"}},
		"Chart":     {"those of a chart", nil, one(valueOf("a", layer(gitops.LayerChart, "redis", "2"))), []string{"chart redis: a (none) → 2 :0"}},
		"NoFile":    {"a layer that is known by its name alone", nil, one(valueOf("a", layer(gitops.LayerKustomization, "images", "2"))), []string{"images: a (none) → 2 :0"}},
		"SOPS":      {"what SOPS notes of a file is no value", one(valueOf("sops.mac", inFile("x.yaml", 1, "1"))), one(valueOf("sops.mac", inFile("x.yaml", 1, "2")), valueOf("sops", inFile("x.yaml", 1, "2"))), []string{"x.yaml: sops (none) → 2 x.yaml:1"}},
		"Secret":    {"a password is not shown", one(valueOf("db.password", inFile("x.yaml", 1, "hunter-two"))), one(valueOf("db.password", inFile("x.yaml", 1, "hunter-three"))), []string{"x.yaml: db.password " + redact.Mask + " → " + redact.Mask + " x.yaml:1"}},
		"Long":      {"a long text is short, and one line", nil, one(valueOf("a", inFile("x.yaml", 1, strings.Repeat("é\n", 50)))), []string{"x.yaml: a (none) → " + strings.Repeat("é ", 30) + "… x.yaml:1"}},
		"NoLayers":  {"a value of which no layer is known", nil, one(gitops.Value{Path: []string{"a"}}), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range valueChanges(tc.before, tc.after, redact.Masker{}) {
				got = append(got, c.What+" "+gitops.Origin{File: c.File, Line: c.Line}.String())
				if c.Kind != causeValue {
					t.Errorf("%s: a cause of the kind %s", tc.reason, c.Kind)
				}
			}
			for i := range tc.want {
				tc.want[i] = strings.TrimSuffix(tc.want[i], ":0")
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, diff)
			}
		})
	}
}
