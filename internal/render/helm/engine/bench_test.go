package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	chart "helm.sh/helm/v4/pkg/chart/v2"
	helmengine "helm.sh/helm/v4/pkg/engine"

	"github.com/causeway-gitops/causeway/internal/render/helm/engine"
)

// benchChart is a chart like those that most repositories have.
func benchChart(tb testing.TB) *chart.Chart {
	tb.Helper()
	files := oneTemplate("kind: ConfigMap\nmetadata:\n  name: {{ include \"name\" . }}\n  labels: {{- include \"labels\" . | nindent 4 }}\ndata:\n  a: {{ toYaml .Values.a | nindent 4 }}\n")
	for i := range 8 {
		files[fmt.Sprintf("templates/d%d.yaml", i)] = strings.Repeat(`---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "name" . }}
  labels: {{- include "labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas | default 1 }}
  template:
    metadata:
      annotations:
        checksum: {{ include (print $.Template.BasePath "/x.yaml") . | sha256sum }}
    spec:
      containers:
      {{- range $i, $x := .Values.a.list }}
      - name: c{{ $i }}
        image: {{ $x | toString | quote }}
        {{- with $.Values.a.b }}
        env: {{- toYaml . | nindent 10 }}
        {{- end }}
        args: [{{ tpl $.Values.tpl $ }}]
      {{- end }}
`, 2)
	}
	ch, err := chartOf(files)
	if err != nil {
		tb.Fatal(err)
	}
	return ch
}

// BenchmarkEngine compares the engine with the library's on one chart: cold
// with everything parsed anew, warm as for the second application. The ratio
// is ours to the library's.
func BenchmarkEngine(b *testing.B) {
	ch := benchChart(b)
	top, err := prepared(ch, map[string]any{})
	if err != nil {
		b.Fatal(err)
	}
	warm := engine.New(engine.Options{})
	cases := map[string]func() error{
		"Cold": func() error { _, err := engine.New(engine.Options{}).Render(b.Context(), ch, top); return err },
		"Warm": func() error { _, err := warm.Render(b.Context(), ch, top); return err },
	}
	for name, ours := range cases {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var mine, library time.Duration
			for b.Loop() {
				began := time.Now()
				if err := ours(); err != nil {
					b.Fatal(err)
				}
				middle := time.Now()
				if _, err := (helmengine.Engine{}).Render(ch, top); err != nil {
					b.Fatal(err)
				}
				mine += middle.Sub(began)
				library += time.Since(middle)
			}
			b.ReportMetric(float64(mine.Microseconds())/float64(b.N), "µs-ours")
			b.ReportMetric(float64(library.Microseconds())/float64(b.N), "µs-library")
			b.ReportMetric(float64(mine)/float64(library), "ratio")
		})
	}
}
