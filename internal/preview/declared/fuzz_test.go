package declared

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// corpusFiles seeds a fuzzer with declarations of public repositories, where
// they are at hand.
func corpusFiles(f *testing.F) {
	f.Helper()
	const most = 200
	names, err := filepath.Glob("../../../../shared/corpus/*/*/*/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for i, name := range names {
		if text, err := os.ReadFile(name); err == nil && i < most && len(text) < 16<<10 {
			f.Add(text)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {source: {repoURL: r}, x: 1, x: 2}\n"))
	f.Add([]byte("apiVersion: v1\nkind: List\nitems: [{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: s}, spec: {generators: [{}]}}]\n"))
	f.Add([]byte("apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: [\n"))
	corpusFiles(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		lines := bytes.Count(text, []byte("\n")) + 1
		out := &Found{}
		parse(text).into("f.yaml", out)
		for _, a := range out.Applications {
			if a.Name == "" || a.Line < 1 || a.Line > lines {
				t.Fatalf("application %q at line %d of %d", a.Name, a.Line, lines)
			}
		}
		for _, w := range out.Warnings {
			if w.Reason == "" || w.Message == "" || w.Origin.Line < 1 || w.Origin.Line > lines {
				t.Fatalf("warning %+v of %d lines", w, lines)
			}
		}
		_, _ = Secrets("f.yaml", text)
	})
}
