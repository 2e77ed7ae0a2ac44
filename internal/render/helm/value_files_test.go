package helm

import (
	"errors"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

func TestMissingValueFiles(t *testing.T) {
	spec := v1alpha1.ApplicationSourceHelm{IgnoreMissingValueFiles: true, ValueFiles: []string{"none.yaml", "../values/a.yaml", "other/*.yaml", "https://u:secret@h.example.com/n.yaml"}}
	s := sourceOf(t, chartFiles(), spec, gitops.Facts{})
	if got := data(t, New(Options{Files: fakeFiles{}}), s); got["a"] != "a" {
		t.Errorf("the file that is there: %v", got)
	}
	var got []string
	for _, w := range s.Warnings() {
		got = append(got, w.Reason+" "+w.Message+" "+w.Origin.File)
	}
	want := []string{
		"MissingValueFile no value file matches other/*.yaml web/other/*.yaml",
		"MissingValueFile value file none.yaml does not exist and is left out web/none.yaml",
		"MissingValueFile value file https://h.example.com/n.yaml does not exist and is left out web",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRule(t *testing.T) {
	web := []string{"https"}
	cases := map[string]struct {
		reason, address string
		rule            source.Rule
		named, ok       bool
	}{
		"Any":      {"all public hosts", "https://h.example.com/x", source.Rule{Schemes: web}, false, true},
		"Case":     {"case does not matter", "HTTPS://H.Example.com/x", source.Rule{Schemes: web, Hosts: []string{"h.example.COM"}}, true, true},
		"Scheme":   {"another scheme", "http://h/x", source.Rule{Schemes: web}, false, false},
		"Star":     {"a star is one part", "https://a.example.com", source.Rule{Schemes: web, Hosts: []string{"*.example.com"}}, true, true},
		"StarDeep": {"and no more", "https://a.b.example.com", source.Rule{Schemes: web, Hosts: []string{"*.example.com"}}, false, false},
		"Stars":    {"two are any", "https://a.b.example.com", source.Rule{Schemes: web, Hosts: []string{"**.example.com"}}, true, true},
		"User":     {"a user is no host", "https://example.com@evil/x", source.Rule{Schemes: web, Hosts: []string{"example.com"}}, false, false},
		"NoHost":   {"no host at all", "https:///x", source.Rule{Schemes: web}, false, false},
		"Broken":   {"a broken glob matches nothing", "https://h/x", source.Rule{Schemes: web, Hosts: []string{"[", "{"}}, false, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			u, err := url.Parse(tc.address)
			if err != nil {
				t.Fatal(err)
			}
			if named, err := tc.rule.Check(u); named != tc.named || (err == nil) != tc.ok {
				t.Errorf("%s: named %v, %v", tc.reason, named, err)
			}
		})
	}
}

// FuzzValueFiles resolves what users write as names of value files: it may
// fail, with a Problem, but neither panic nor leave the repositories.
func FuzzValueFiles(f *testing.F) {
	for _, name := range []string{"a.yaml", "../values/*.yaml", "$ref/../x", "$ref/v.yaml", "/values/{a,b}.yaml", "**/*.yaml", "$ARGOCD_APP_NAME/../../x", "https://$X/y", "[", "{", "\x00", "$", "$$", "C:\\x", "{{{{a,b},c},d}", "file:///etc/passwd", "//x"} {
		f.Add(name, "values/[a-b].yaml")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		spec := v1alpha1.ApplicationSourceHelm{ValueFiles: []string{one, two, one}, IgnoreMissingValueFiles: len(one)%2 == 0}
		s := sourceOf(t, chartFiles(), spec, gitops.Facts{})
		s.Refs = map[string]*record.Tree{"ref": record.Wrap(t.Context(), treetest.Snapshot("r", "1", treetest.Files{"v.yaml": "a: ref"}), record.Limits{})}
		_, err := New(Options{}).Explain(t.Context(), s)
		var p *gitops.Problem
		if err != nil && !errors.As(err, &p) {
			t.Fatalf("no Problem: %v", err)
		}
	})
}
