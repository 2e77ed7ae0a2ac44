package render_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/render"
	"github.com/causeway-gitops/causeway/internal/render/directory"
	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// workload is four objects of one application, as text of n documents.
func workload(name string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: ConfigMap
metadata: {name: %[1]s, labels: {app: %[1]s, team: red}}
data: {key: value, other: value, third: value}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: %[1]s, labels: {app: %[1]s, team: red}}
---
apiVersion: v1
kind: Service
metadata: {name: %[1]s, labels: {app: %[1]s, team: red}}
spec: {selector: {app: %[1]s}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, labels: {app: %[1]s, team: red}}
spec:
  replicas: 0
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s, team: red}}
    spec:
      serviceAccountName: %[1]s
      containers:
      - name: main
        image: registry.example.com/web:1.2.3
        ports: [{name: http, containerPort: 8080}]
        env: [{name: A, value: b}, {name: C, value: d}]
        resources: {requests: {cpu: 10m, memory: 32Mi}, limits: {memory: 64Mi}}
        readinessProbe: {httpGet: {path: /ready, port: http}}
`, name)
}

const benchChart = `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "web.name" . }}
  labels: {{- include "web.labels" . | nindent 4 }}
data:
  values: {{ toJson .Values | quote }}
---
apiVersion: apps/v1
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
      {{- end }}
`

func fleet(n int) (treetest.Files, []*v1alpha1.Application, []*v1alpha1.Application) {
	files := treetest.Files{
		"chart/Chart.yaml":             "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"chart/values.yaml":            "replicas: 1\ncontainers:\n- {name: main, image: \"nginx:1\"}\n",
		"chart/templates/all.yaml":     benchChart,
		"chart/templates/service.yaml": "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ include \"web.name\" . }}\n",
		"chart/templates/_h.tpl":       "{{ define \"web.name\" }}{{ .Release.Name | trunc 63 }}{{ end }}{{ define \"web.labels\" }}app: {{ include \"web.name\" . }}\nchart: {{ .Chart.Name }}{{ end }}",
	}
	var plain, charts []*v1alpha1.Application
	for i := range n {
		name := fmt.Sprintf("app-%d", i)
		files["apps/"+name+"/all.yaml"] = workload(name)
		files["values/"+name+".yaml"] = fmt.Sprintf("replicas: %d\n", i)
		plain = append(plain, application(name, at("apps/"+name)))
		charts = append(charts, application(name, helmAt("chart", "../values/"+name+".yaml")))
	}
	return files, plain, charts
}

func renderAll(b *testing.B, r *render.Renderer, apps []*v1alpha1.Application, s *gitops.Snapshot) {
	b.Helper()
	for _, app := range apps {
		if _, err := r.Application(b.Context(), render.Input{App: app, Snapshots: []*gitops.Snapshot{s}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHelm50 renders 50 applications of one chart.
func BenchmarkHelm50(b *testing.B) {
	files, _, apps := fleet(50)
	s := treetest.Snapshot(repo, rev1, files)
	for b.Loop() {
		renderAll(b, renderers(), apps, s)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(apps)), "µs/app")
}

// BenchmarkDirectory renders 50 folders of four objects.
func BenchmarkDirectory(b *testing.B) {
	files, apps, _ := fleet(50)
	s := treetest.Snapshot(repo, rev1, files)
	for b.Loop() {
		renderAll(b, renderers(), apps, s)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(apps)), "µs/app")
}

// BenchmarkKustomize renders an overlay; the library's schema is parsed once.
func BenchmarkKustomize(b *testing.B) {
	s := treetest.Snapshot(repo, rev1, monorepo().With("base/cm.yaml", workload("web")))
	app := application("one", at("overlay"))
	for b.Loop() {
		renderAll(b, renderers(), []*v1alpha1.Application{app}, s)
	}
}

// BenchmarkReuse looks at 500 applications at a new commit that concerns none of them.
func BenchmarkReuse(b *testing.B) {
	files, plain, charts := fleet(500)
	for name, apps := range map[string][]*v1alpha1.Application{"Directory": plain, "Helm": charts} {
		b.Run(name, func(b *testing.B) {
			r := renderers()
			commits := []*gitops.Snapshot{
				treetest.Snapshot(repo, rev1, files),
				treetest.Snapshot(repo, rev2, files.With("elsewhere.md", "x")),
			}
			for _, c := range commits { // the test's trees hash once; the real ones have hashes
				_, _ = c.Tree.Digest(".")
			}
			renderAll(b, r, apps, commits[0])
			i := 0
			for b.Loop() {
				i++
				renderAll(b, r, apps, commits[i%2])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(apps))/1000, "µs/app")
			if got := r.Stats().Rendered; got != uint64(len(apps)) {
				b.Errorf("%d renders for %d applications", got, len(apps))
			}
		})
	}
}

// BenchmarkMemory holds 1,000 applications of four objects in the cache and
// prints what one costs, beside what the cache thinks it does.
func BenchmarkMemory(b *testing.B) {
	files, apps, _ := fleet(1000)
	s := treetest.Snapshot(repo, rev1, files)
	for b.Loop() {
		r := render.New(render.Options{}, directory.Renderer{})
		renderAll(b, r, apps[:1], s)
		before := heap()
		renderAll(b, r, apps, s)
		used := heap() - before
		b.ReportMetric(float64(used)/float64(len(apps)), "B/app")
		b.ReportMetric(float64(r.Stats().Bytes)/float64(len(apps)), "counted-B/app")
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
