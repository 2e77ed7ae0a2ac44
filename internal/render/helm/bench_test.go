package helm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	helmengine "helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render/record"
	"github.com/causeway-gitops/causeway/internal/render/source"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

const benchTemplate = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "web.name" . }}
  labels: {{- include "web.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels: {{- include "web.labels" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "web.labels" . | nindent 8 }}
    spec:
      containers:
      {{- range .Values.containers }}
      - name: {{ .name }}
        image: {{ .image | quote }}
        resources: {{- toYaml $.Values.resources | nindent 10 }}
      {{- end }}
`

func benchFiles() treetest.Files {
	files := treetest.Files{
		"web/Chart.yaml":                 "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"web/values.yaml":                "replicas: 1\ncontainers:\n- {name: main, image: \"nginx:1\"}\n- {name: side, image: \"envoy:1\"}\nresources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 100m, memory: 128Mi}}\n",
		"web/templates/_h.tpl":           `{{ define "web.name" }}{{ .Release.Name | trunc 63 }}{{ end }}{{ define "web.labels" }}app: {{ include "web.name" . }}` + "\n" + `chart: {{ .Chart.Name }}{{ end }}`,
		"web/charts/db/Chart.yaml":       "apiVersion: v2\nname: db\nversion: 1.0.0\n",
		"web/charts/db/values.yaml":      "size: 1\n",
		"web/charts/db/templates/s.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}-db\nspec: {ports: [{port: {{ .Values.size }}}]}\n",
	}
	for i := range 6 {
		files[fmt.Sprintf("web/templates/d%d.yaml", i)] = benchTemplate
	}
	return files
}

// library renders as helm template does, from files in memory to sorted manifests.
func library(tb testing.TB, files []*archive.BufferedFile, name string) {
	tb.Helper()
	ch, err := loader.LoadFiles(files)
	if err != nil {
		tb.Fatal(err)
	}
	values := map[string]any{"replicas": 2}
	if err := chartutil.ProcessDependencies(ch, values); err != nil {
		tb.Fatal(err)
	}
	top, err := util.ToRenderValues(ch, values, common.ReleaseOptions{Name: name, Namespace: "ns", Revision: 1, IsInstall: true}, nil)
	if err != nil {
		tb.Fatal(err)
	}
	out, err := helmengine.Render(ch, top)
	if err != nil {
		tb.Fatal(err)
	}
	if _, _, err := releaseutil.SortManifests(out, nil, releaseutil.InstallOrder); err != nil {
		tb.Fatal(err)
	}
}

// BenchmarkRender compares whole renders with the library's: of one chart by
// a renderer that has seen none, and of one chart for 50 applications. Ours
// gives objects with their origin, the library's texts.
func BenchmarkRender(b *testing.B) {
	files := benchFiles()
	var buffered []*archive.BufferedFile
	for _, name := range slices.Sorted(maps.Keys(files)) {
		buffered = append(buffered, &archive.BufferedFile{Name: strings.TrimPrefix(name, "web/"), Data: []byte(files[name])})
	}
	snapshot := treetest.Snapshot("https://git.example.com/r", "1", files)
	ours := func(r *Renderer, name string) {
		s := &source.Source{Name: name, Namespace: "ns", Path: "web", Tree: record.Wrap(b.Context(), snapshot, record.Limits{}), Facts: record.WrapFacts(gitops.Facts{})}
		s.Spec.Helm = &v1alpha1.ApplicationSourceHelm{Values: "replicas: 2"}
		if _, err := r.Render(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
	for name, applications := range map[string]int{"One": 1, "Fifty": 50} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var mine, theirs time.Duration
			for b.Loop() {
				began := time.Now()
				r := New(Options{})
				for i := range applications {
					ours(r, fmt.Sprint("app-", i))
				}
				middle := time.Now()
				for i := range applications {
					library(b, buffered, fmt.Sprint("app-", i))
				}
				mine += middle.Sub(began)
				theirs += time.Since(middle)
			}
			per := float64(b.N * applications)
			b.ReportMetric(float64(mine.Microseconds())/per, "µs-ours")
			b.ReportMetric(float64(theirs.Microseconds())/per, "µs-library")
			b.ReportMetric(float64(mine)/float64(theirs), "ratio")
		})
	}
}
