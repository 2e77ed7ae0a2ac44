package helm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/bounded"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func TestInflate(t *testing.T) {
	files := chartFiles().
		With("web/crds/c.yaml", "kind: CustomResourceDefinition\nmetadata: {name: c}\n").
		With("web/templates/h.yaml", "kind: Job\nmetadata: {name: {{ .Release.Name }}-{{ .Release.Namespace }}, annotations: {helm.sh/hook: pre-install}}\n").
		With("web/templates/t.yaml", "kind: Pod\nmetadata: {name: t, annotations: {helm.sh/hook: test}}\n")
	s := sourceOf(t, files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{})
	remote := &fakeRemote{charts: map[string]treetest.Files{"https://h/c r 1.0.0": remoteChart("r", "1.0.0", "")}}
	s.Remote = remote
	at := source.File{Tree: s.Tree, Name: "web"}
	file := func(name string) source.File { return source.File{Tree: s.Tree, Name: name} }
	cases := map[string]struct {
		reason    string
		in        Inflation
		want, not []string
	}{
		"Plain":  {"the chart alone", Inflation{At: at}, []string{"a: chart", "name: app-ns", "name: t\n"}, []string{"name: c\n"}},
		"Values": {"files in their order, then texts", Inflation{At: at, ValueFiles: []source.File{file("values/b.yaml")}, Values: [][]byte{[]byte("b: 1"), []byte("a: text")}}, []string{"a: text", "b: 1"}, nil},
		"CRDs":   {"CRDs when asked for", Inflation{At: at, IncludeCRDs: true}, []string{"name: c\n"}, nil},
		"Hooks":  {"no hooks", Inflation{At: at, SkipHooks: true}, []string{"a: chart"}, []string{"Job", "Pod"}},
		"Tests":  {"no tests", Inflation{At: at, SkipTests: true, ReleaseName: "rel", Namespace: "other"}, []string{"name: rel-other"}, []string{"Pod"}},
		"Remote": {"a chart from elsewhere", Inflation{Chart: gitops.SourceRef{RepoURL: "https://h/c", Chart: "r", Revision: "1.0.0"}}, []string{"v: 1.0.0"}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text, err := New(Options{}).Inflate(t.Context(), s, tc.in)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.want {
				if !strings.Contains(string(text), want) {
					t.Errorf("%s: no %q in\n%s", tc.reason, want, text)
				}
			}
			for _, not := range tc.not {
				if strings.Contains(string(text), not) {
					t.Errorf("%s: %q in\n%s", tc.reason, not, text)
				}
			}
		})
	}
}

func TestInflateFails(t *testing.T) {
	s := sourceOf(t, chartFiles(), v1alpha1.ApplicationSourceHelm{}, gitops.Facts{})
	for name, in := range map[string]Inflation{
		"no remote":    {Chart: gitops.SourceRef{RepoURL: "https://h/c", Chart: "r"}},
		"no folder":    {At: source.File{Tree: s.Tree, Name: "none"}},
		"no file":      {At: source.File{Tree: s.Tree, Name: "web"}, ValueFiles: []source.File{{Tree: s.Tree, Name: "none"}}},
		"broken file":  {At: source.File{Tree: s.Tree, Name: "web"}, ValueFiles: []source.File{{Tree: s.Tree, Name: "web/templates/cm.yaml"}}},
		"broken value": {At: source.File{Tree: s.Tree, Name: "web"}, Values: [][]byte{[]byte("- x")}},
	} {
		var p *gitops.Problem
		if _, err := New(Options{}).Inflate(t.Context(), s, in); !errors.As(err, &p) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestInflateIsBounded: what a chart gives is written again, in longer lines where it
// is deep, so that is bounded once more.
func TestInflateIsBounded(t *testing.T) {
	objects := func(count, levels int) treetest.Files {
		return chartFiles().With("web/templates/deep.yaml", fmt.Sprintf("{{ range until %d }}\n---\nkind: A\nmetadata: {name: a{{ . }}}\nd: {{ repeat %d \"{a: \" }}1{{ repeat %d \"}\" }}\n{{ end }}", count, levels, levels))
	}
	inflate := func(files treetest.Files) ([]byte, error) {
		s := sourceOf(t, files, v1alpha1.ApplicationSourceHelm{}, gitops.Facts{})
		return New(Options{}).Inflate(t.Context(), s, Inflation{At: source.File{Tree: s.Tree, Name: "web"}, Output: bounded.NewBytes(100_000)})
	}
	if text, err := inflate(objects(10, 450)); err != nil { // two megabytes as blocks
		t.Errorf("deep objects: %d bytes, %v", len(text), err)
	}
	text, err := inflate(objects(50, 100)) // half a megabyte
	if much := (*bounded.TooMuch)(nil); !errors.As(err, &much) {
		t.Errorf("many objects: %d bytes, %v", len(text), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	one := []gitops.Manifest{{Object: &unstructured.Unstructured{Object: map[string]any{"kind": "A"}}}}
	if _, err := (Inflation{}).text(ctx, one); !errors.Is(err, context.Canceled) {
		t.Errorf("when the render is over: %v", err)
	}
}
