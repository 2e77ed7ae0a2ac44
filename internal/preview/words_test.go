package preview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

func TestAlikeKeys(t *testing.T) {
	cases := map[string]struct {
		reason string
		a, b   string
		want   bool
	}{
		"Joined":    {"words are joined in several ways", "enable_argo_cd", "enable-argocd", true},
		"Letter":    {"a letter that is left out", "enable_cert_manager", "enable_cert_manger", true},
		"Changed":   {"a letter that is another", "environment", "envirenment", true},
		"Plural":    {"a letter at the end", "regions", "region", true},
		"Other":     {"another word", "enable_velero", "enable_vault", false},
		"Short":     {"short keys are soon near", "env", "end", false},
		"TwoApart":  {"two letters make another word", "enable_aws", "enable_gcp", false},
		"TwoLonger": {"and so do two more letters", "monitor", "monitoring", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := alike(tc.a, tc.b); got != tc.want {
				t.Errorf("%s: %s and %s: %v", tc.reason, tc.a, tc.b, got)
			}
			if alike(tc.b, tc.a) != tc.want {
				t.Error("the order counts")
			}
		})
	}
}

func TestKeysThatStandTwice(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         []twin
	}{
		"None":   {"a plain file", "a: 1\nb: {a: 2}\n", nil},
		"One":    {"a key and its line", "a: 1\nb: 2\na: 3\n", []twin{{`key "a" already set in map`, 3}}},
		"Two":    {"each of several", "a: 1\na: 2\nb:\n  c: 1\n  c: 2\n", []twin{{`key "a" already set in map`, 2}, {`key "c" already set in map`, 5}}},
		"Broken": {"what cannot be read is told elsewhere", "a: [\n", nil},
		"Empty":  {"nothing", "", nil},
	}
	if got := twinsIn([]byte(strings.Repeat("a: 1\n", 10*mostTwins))); len(got) != mostTwins {
		t.Errorf("of one file %d are told", len(got))
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(tc.want, twinsIn([]byte(tc.text)), cmp.AllowUnexported(twin{})); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}

func TestPlaceholdersThatAreLeft(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   v1alpha1.ApplicationSpec
		want   []left
	}{
		"Path":   {"a path is the generator's", v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{Path: "apps/{{ name }}"}}, []left{{"name", false}}},
		"Values": {"values may be another tool's", v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{Helm: &v1alpha1.ApplicationSourceHelm{Values: "a: '{{pod}}'"}}}, []left{{"pod", true}}},
		"Both":   {"what stands in both is the generator's", v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{Path: "{{x}}", Helm: &v1alpha1.ApplicationSourceHelm{Values: "{{x}}"}}}, []left{{"x", false}}},
		"Helm":   {"templates of Helm are none", v1alpha1.ApplicationSpec{Source: &v1alpha1.ApplicationSource{Helm: &v1alpha1.ApplicationSourceHelm{Values: "{{ .Values.a }} {{ end }} ${{ b.c }} {{ include \"x\" . }}"}}}, nil},
		"Go":     {"what a Go template prints for nothing", v1alpha1.ApplicationSpec{Project: "<no value>"}, []left{{"<no value>", false}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := leftIn(&v1alpha1.Application{Spec: tc.spec})
			if d := cmp.Diff(tc.want, got, cmp.AllowUnexported(left{})); d != "" {
				t.Errorf("%s (-want +got):\n%s", tc.reason, d)
			}
		})
	}
}

func TestPathsInside(t *testing.T) {
	cases := map[string]struct{ reason, folder, name, want string }{
		"Beside":  {"a file beside the source", "charts/web", "values.yaml", "charts/web/values.yaml"},
		"Above":   {"a file above it", "charts/web", "../../values/a.yaml", "values/a.yaml"},
		"Root":    {"a path from the root", "charts/web", "/values/a.yaml", "values/a.yaml"},
		"Outside": {"nothing leaves the tree", ".", "../../etc/passwd", "etc/passwd"},
		"Double":  {"slashes that are too many", ".", "a//b.yaml", "a/b.yaml"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := inside(tc.folder, tc.name); got != tc.want {
				t.Errorf("%s: %q", tc.reason, got)
			}
		})
	}
}
