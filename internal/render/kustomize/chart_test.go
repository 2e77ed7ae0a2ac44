package kustomize

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/helm"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// asked keeps what charts were asked for.
type asked struct{ list []helm.Inflation }

func (a *asked) Inflate(_ context.Context, _ *source.Source, in helm.Inflation) ([]byte, error) {
	a.list = append(a.list, in)
	return fmt.Appendf(nil, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: %q}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: %s}\n", in.ReleaseName, in.Namespace, in.ReleaseName), nil
}

// TestInflation tells what the fields of a chart's entry become.
func TestInflation(t *testing.T) {
	type want struct {
		At, Chart, Release, Namespace, Kube, Values string
		APIs                                        []string
		Flags                                       [3]bool
	}
	cases := map[string]struct {
		reason string
		chart  string
		spec   *v1alpha1.ApplicationSourceKustomize
		flags  string
		want   want
	}{
		"Local":       {"a chart in charts/, with its own name for the release", "helmCharts: [{name: web}]", nil, "", want{At: "app/charts/web", Release: "web"}},
		"Home":        {"a folder of charts", "helmGlobals: {chartHome: more}\nhelmCharts: [{name: web, releaseName: r, namespace: ns, includeCRDs: true, skipHooks: true, skipTests: true}]", nil, "", want{At: "app/more/web", Release: "r", Namespace: "ns", Flags: [3]bool{true, true, true}}},
		"Remote":      {"a repository", "helmCharts: [{name: web, repo: 'https://charts.example/', version: 1.2.3, nameTemplate: '{{ printf \"%s-x\" \"a\" | upper | lower }}'}]", nil, "", want{Chart: "https://charts.example web 1.2.3", Release: "a-x"}},
		"OCI":         {"a registry", "helmCharts: [{name: web, repo: 'oci://registry.example/org', version: 1.2.3}]", nil, "", want{Chart: "oci://registry.example/org web 1.2.3", Release: "web"}},
		"Pulled":      {"a chart that was pulled into the repository at its version", "helmCharts: [{name: web, repo: 'https://charts.example', version: 9.9.9}]", nil, "", want{At: "app/charts/web-9.9.9/web", Release: "web"}},
		"Namespace":   {"the kustomization's namespace is the release's", "namespace: k\nhelmCharts: [{name: web}]", nil, "", want{At: "app/charts/web", Release: "web", Namespace: "k"}},
		"Application": {"or the application's", "helmCharts: [{name: web}]", &v1alpha1.ApplicationSourceKustomize{Namespace: "a", KubeVersion: "1.30.0", APIVersions: []string{"x/v1"}}, "", want{At: "app/charts/web", Release: "web", Namespace: "a", Kube: "1.30.0", APIs: []string{"x/v1"}}},
		"Cluster":     {"the cluster's version is stronger than the entry's, as Argo CD passes it by a flag", "helmCharts: [{name: web, kubeVersion: 1.20.0}]", nil, "", want{At: "app/charts/web", Release: "web"}},
		"APIs":        {"versions from flags are added to the cluster's", "helmCharts: [{name: web}]", nil, "--helm-api-versions x/v1,y/v1", want{At: "app/charts/web", Release: "web", APIs: []string{"v1", "x/v1", "y/v1"}}},
		"File":        {"a value file in place of the chart's own, and more", "helmCharts: [{name: web, valuesFile: v.yaml, additionalValuesFiles: [w.yaml]}]", nil, "", want{At: "app/charts/web", Release: "web", Values: "a: file\nl: [1]\n|b: more\n"}},
		"Override":    {"values in place are stronger", "helmCharts: [{name: web, valuesFile: v.yaml, valuesInline: {a: inline, c: 1}}]", nil, "", want{At: "app/charts/web", Release: "web", Values: "a: inline\nl: [1]\nc: 1\n"}},
		"Merge":       {"or weaker", "helmCharts: [{name: web, valuesFile: v.yaml, valuesInline: {a: inline, c: 1}, valuesMerge: merge}]", nil, "", want{At: "app/charts/web", Release: "web", Values: "a: file\nc: 1\nl: [1]\n"}},
		"Replace":     {"or all there are", "helmCharts: [{name: web, valuesFile: v.yaml, valuesInline: {c: 1}, valuesMerge: replace}]", nil, "", want{At: "app/charts/web", Release: "web", Values: "c: 1\n"}},
		"Own":         {"a null takes a value out of the chart's own, which the chart then fills in again", "helmCharts: [{name: web, valuesInline: {own: null, c: 1}}]", nil, "", want{At: "app/charts/web", Release: "web", Values: "other: 2\nc: 1\n"}},
		"Deprecated":  {"the older form", "helmChartInflationGenerator: [{chartName: web, chartHome: more, releaseName: r, values: v.yaml}]", nil, "", want{At: "app/more/web", Release: "r", Values: "a: file\nl: [1]\n"}},
		"Generator":   {"a generator's configuration, without the kustomization's namespace", "namespace: k\ngenerators:\n- |-\n  apiVersion: builtin\n  kind: HelmChartInflationGenerator\n  metadata: {name: web}\n  name: web\n  releaseName: g\n", nil, "", want{At: "app/charts/web", Release: "g"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := &asked{}
			s := setup{
				files: treetest.Files{
					"app/kustomization.yaml": tc.chart + "\n", "app/charts/web/Chart.yaml": "", "app/charts/web/values.yaml": "own: 1\nother: 2\n", "app/more/web/Chart.yaml": "",
					"app/charts/web-9.9.9/web/Chart.yaml": "", "app/v.yaml": "a: file\nl: [1]\n", "app/w.yaml": "b: more\n",
				},
				spec: tc.spec, flags: "--enable-helm " + tc.flags, charts: a,
			}
			if _, _, err := s.render(t); err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if len(a.list) != 1 {
				t.Fatalf("%s: %d charts", tc.reason, len(a.list))
			}
			in := a.list[0]
			got := want{Release: in.ReleaseName, Namespace: in.Namespace, Kube: in.KubeVersion, APIs: in.APIVersions, Flags: [3]bool{in.IncludeCRDs, in.SkipHooks, in.SkipTests}}
			if in.At.Tree != nil {
				got.At = in.At.Name
			}
			got.Chart = strings.TrimSpace(in.Chart.RepoURL + " " + in.Chart.Chart + " " + in.Chart.Revision)
			var values []string
			for _, v := range in.Values {
				values = append(values, string(v))
			}
			got.Values = strings.Join(values, "|")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestChartObjects(t *testing.T) {
	s := setup{
		files: treetest.Files{
			"app/kustomization.yaml":   "namespace: top\nnamePrefix: p-\nresources: [../base, a.yaml]\n",
			"app/a.yaml":               configMap + "a\n",
			"base/kustomization.yaml":  "resources: [b.yaml]\nnamespace: ''\nhelmCharts:\n- name: web\n  repo: https://charts.example\n  version: 1.0.0\npatches:\n- target: {kind: Secret}\n  patch: |-\n    - {op: add, path: /data, value: {k: v}}\n",
			"base/b.yaml":              configMap + "b\n",
			"other/kustomization.yaml": "",
		},
		flags: "--enable-helm", charts: &asked{},
		remotes: elsewhereTrees{},
	}
	got, _, err := s.render(t)
	if err != nil {
		t.Fatal(err)
	}
	// The chart's namespace stays: a Secret without one gets none.
	want := []string{
		"ConfigMap top/p-a home@home app/a.yaml:1", "ConfigMap top/p-b home@home base/b.yaml:1", "ConfigMap top/p-web home@home base/kustomization.yaml:4", "Secret p-web home@home base/kustomization.yaml:4",
	}
	lines := map[string]bool{}
	for _, n := range named(got) {
		lines[n] = true
	}
	for _, w := range want {
		if !lines[w] {
			t.Errorf("no %s in %v", w, named(got))
		}
	}
	for _, m := range got {
		if m.Object.GetAnnotations() != nil {
			t.Errorf("%s has annotations that nobody wrote: %v", m.Key(), m.Object.GetAnnotations())
		}
		if m.Object.GetKind() == "Secret" && m.Object.Object["data"] == nil {
			t.Error("patches of the kustomization do not reach what the chart gives")
		}
	}
}

func TestChartFaults(t *testing.T) {
	cases := map[string]struct{ reason, chart, flags, want string }{
		"NotAllowed": {"charts need a flag", "helmCharts: [{name: web}]", "", "add --enable-helm to kustomize.buildOptions of ConfigMap argocd-cm"},
		"NoRepo":     {"a chart that is nowhere", "helmCharts:\n- name: gone", "--enable-helm", "cannot find chart gone in app/charts/gone (https://git.example/home at home app/kustomization.yaml:2)"},
		"NoName":     {"a chart without a name", "helmCharts: [{version: 1.0.0}]", "--enable-helm", "a chart has no name"},
		"Outside":    {"a folder of charts outside the repository", "helmGlobals: {chartHome: ../../x}\nhelmCharts: [{name: web}]", "--enable-helm", "outside the repository"},
		"Merge":      {"an unknown way to merge", "helmCharts: [{name: web, valuesMerge: deep}]", "--enable-helm", "is merge, override or replace"},
		"Template":   {"a name that is no template", "helmCharts: [{name: web, nameTemplate: '{{'}]", "--enable-helm", "cannot read nameTemplate"},
		"ValuesGone": {"a value file that is not there", "helmCharts: [{name: web, valuesFile: gone.yaml}]", "--enable-helm", "gone.yaml"},
		"ValuesYAML": {"a value file that is broken", "helmCharts: [{name: web, valuesFile: broken.yaml}]", "--enable-helm", "app/broken.yaml:2"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := setup{files: treetest.Files{"app/kustomization.yaml": tc.chart + "\n", "app/charts/web/Chart.yaml": "", "app/broken.yaml": "a: 1\nb: [\n"}, flags: tc.flags, charts: &asked{}}
			_, _, err := s.render(t)
			var p *gitops.Problem
			if !errors.As(err, &p) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v", tc.reason, err)
			}
		})
	}
}

// TestChartByHelm renders with the renderer of charts itself.
func TestChartByHelm(t *testing.T) {
	s := setup{
		files: treetest.Files{
			"app/kustomization.yaml":            "namespace: ns\nhelmCharts:\n- name: web\n  releaseName: r\n  includeCRDs: true\n  valuesInline: {mode: fast}\n",
			"app/charts/web/Chart.yaml":         "apiVersion: v2\nname: web\nversion: 1.0.0\n",
			"app/charts/web/values.yaml":        "mode: slow\n",
			"app/charts/web/templates/cm.yaml":  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}', namespace: '{{ .Release.Namespace }}'}\ndata: {mode: '{{ .Values.mode }}', kube: '{{ .Capabilities.KubeVersion.Minor }}'}\n",
			"app/charts/web/crds/crd.yaml":      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: webs.example.com}\n",
			"app/charts/web/templates/job.yaml": "apiVersion: batch/v1\nkind: Job\nmetadata: {name: test, annotations: {helm.sh/hook: test}}\n",
		},
		flags: "--enable-helm", charts: helm.New(helm.Options{}),
	}
	got, _, err := s.render(t)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]any{}
	for _, m := range got {
		keys[m.Key().String()] = m.Object.Object["data"]
	}
	want := map[string]any{
		"/ConfigMap:ns/r": map[string]any{"mode": "fast", "kube": "33"}, "apiextensions.k8s.io/CustomResourceDefinition:/webs.example.com": nil, "batch/Job:/test": nil,
	}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFlags(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         flags
		fails        string
	}{
		"None":     {"nothing is set", "", flags{reorder: "unspecified"}, ""},
		"All":      {"what changes a build", "--enable-helm --load-restrictor LoadRestrictionsNone --reorder=legacy --enable-managedby-label", flags{helm: true, anywhere: true, managedBy: true, reorder: "legacy"}, ""},
		"Off":      {"a flag may be set to false, and the last counts", "--enable-helm --enable-helm=false --load-restrictor=LoadRestrictionsNone --load-restrictor=LoadRestrictionsRootOnly", flags{reorder: "unspecified"}, ""},
		"Zero":     {"false has other forms, too", "--enable-helm=0 --enable-managedby-label=F", flags{reorder: "unspecified"}, ""},
		"Maybe":    {"what is neither true nor false", "--enable-helm=no", flags{}, "--enable-helm=no: it is true or false"},
		"Silent":   {"what has no effect on what is built", "-v 6 --logtostderr --as-current-user --network --network-name bridge --mount a -e A=b --enable-alpha-plugins --enable-exec --stack-trace", flags{reorder: "unspecified"}, ""},
		"Helm":     {"another executable is told of", "--helm-command /bin/helm3", flags{reorder: "unspecified", warnings: []string{"--helm-command has no effect: charts are rendered without running a program"}}, ""},
		"APIs":     {"versions for charts", "--helm-api-versions a/v1,b/v1 --helm-api-versions=c/v1", flags{reorder: "unspecified", apiVersions: []string{"a/v1", "b/v1", "c/v1"}}, ""},
		"Unknown":  {"a flag that is none", "--enable-helmet", flags{}, "--enable-helmet: it is unknown; correct kustomize.buildOptions of ConfigMap argocd-cm"},
		"Word":     {"no flag at all", "enable-helm", flags{}, "it is no flag"},
		"Dash":     {"a dash alone", "-", flags{}, "it is no flag"},
		"NoValue":  {"a value that is missing", "--load-restrictor", flags{}, "its value is missing"},
		"Value":    {"a value that is none", "--load-restrictor none", flags{}, "LoadRestrictionsNone or"},
		"Order":    {"an order that is none", "--reorder x", flags{}, "legacy or none"},
		"ToFile":   {"an output that is not here", "--output /tmp", flags{}, "nothing is left to deploy"},
		"Repeated": {"white space does not count", "  --enable-helm \n\t--enable-helm ", flags{helm: true, reorder: "unspecified"}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parseFlags(tc.text)
			if tc.fails != "" {
				var p *gitops.Problem
				if !errors.As(err, &p) || !strings.Contains(err.Error(), tc.fails) {
					t.Errorf("%s: got %v", tc.reason, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(flags{})); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	s := setup{
		files: treetest.Files{"app/kustomization.yaml": "resources: []\n"}, flags: "--helm-command helm3",
		spec: &v1alpha1.ApplicationSourceKustomize{Version: "v4.5.7"},
	}
	_, src, err := s.render(t)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	for _, w := range src.Warnings() {
		reasons = append(reasons, w.Reason)
	}
	if diff := cmp.Diff([]string{"BuildOption", "KustomizeVersion"}, reasons); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// large gives much for each chart.
type large struct{}

func (large) Inflate(_ context.Context, _ *source.Source, in helm.Inflation) ([]byte, error) {
	return fmt.Appendf(nil, "kind: A\nmetadata: {name: %s}\nx: %s\n", in.ReleaseName, strings.Repeat("x", 300_000)), nil
}

// TestInflatedTogether: the charts of a kustomization are joined before any is
// built, so they are bounded together.
func TestInflatedTogether(t *testing.T) {
	s := setup{
		files:  treetest.Files{"app/kustomization.yaml": "helmCharts: [{name: web, releaseName: a}, {name: web, releaseName: b}, {name: web, releaseName: c}, {name: web, releaseName: d}]\n", "app/charts/web/Chart.yaml": ""},
		charts: large{}, flags: "--enable-helm", output: 1 << 20,
	}
	if _, _, err := s.render(t); err == nil || !strings.Contains(err.Error(), "what its charts give is too much") {
		t.Errorf("got %v", err)
	}
	s.output = 4 << 20
	if _, _, err := s.render(t); err != nil {
		t.Errorf("with room: %v", err)
	}
}

// TestValueFilesOfChartsTogether: each entry has a copy of its file.
func TestValueFilesOfChartsTogether(t *testing.T) {
	s := setup{
		files: treetest.Files{
			"app/kustomization.yaml": "helmCharts: [{name: web, additionalValuesFiles: [v.yaml, v.yaml, v.yaml, v.yaml]}]\n", "app/charts/web/Chart.yaml": "",
			"app/v.yaml": "a: " + strings.Repeat("x", 300_000) + "\n",
		},
		charts: &asked{}, flags: "--enable-helm", bytes: 1 << 20,
	}
	if _, _, err := s.render(t); err == nil || !strings.Contains(err.Error(), "app/v.yaml: it has 300004 bytes") {
		t.Errorf("got %v", err)
	}
	s.bytes = 4 << 20
	if _, _, err := s.render(t); err != nil {
		t.Errorf("with room: %v", err)
	}
}

// TestFilesFromElsewhereTogether: what hosts serve is bounded together, as a file
// of the repository is.
func TestFilesFromElsewhereTogether(t *testing.T) {
	s := setup{files: treetest.Files{"app/kustomization.yaml": "configMapGenerator:\n- name: a\n  files: ['https://h.example/a.txt', 'https://h.example/b.txt']\n"}, bytes: 1 << 19, web: webFiles{}}
	for _, name := range []string{"a", "b"} {
		s.web["https://h.example/"+name+".txt"] = strings.Repeat("x", 300_000)
	}
	if _, _, err := s.render(t); err == nil || !strings.Contains(err.Error(), "https://h.example/b.txt, which has 300000 bytes") {
		t.Errorf("got %v", err)
	}
	s.bytes = 4 << 20
	if _, _, err := s.render(t); err != nil {
		t.Errorf("with room: %v", err)
	}
}
