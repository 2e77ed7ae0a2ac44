package kustomize

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/causeway-gitops/causeway/internal/render/treetest"
)

// overlay is an application as they are: an overlay over a base, with
// images, labels, patches and a generator.
func overlay() treetest.Files {
	files := treetest.Files{
		"app/kustomization.yaml": "resources: [../base]\nnamespace: prod\nnamePrefix: prod-\nlabels: [{pairs: {env: prod}}]\nimages: [{name: registry.example.com/web, newTag: '2'}]\n" +
			"patches: [{path: replicas.yaml}]\nconfigMapGenerator: [{name: settings, literals: [a=b, c=d]}]\n",
		"app/replicas.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web-0}\nspec: {replicas: 3}\n",
	}
	var list strings.Builder
	for i := range 4 {
		fmt.Fprintf(&list, "- web-%d.yaml\n", i)
		files[fmt.Sprintf("base/web-%d.yaml", i)] = fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata: {name: web-%[1]d, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web-%[1]d}}
  template:
    metadata: {labels: {app: web-%[1]d}}
    spec:
      containers:
      - name: main
        image: registry.example.com/web:1
        envFrom: [{configMapRef: {name: settings}}]
        ports: [{name: http, containerPort: 8080}]
        resources: {requests: {cpu: 10m, memory: 32Mi}, limits: {memory: 64Mi}}
---
apiVersion: v1
kind: Service
metadata: {name: web-%[1]d, labels: {app: web}}
spec: {selector: {app: web-%[1]d}, ports: [{name: http, port: 80, targetPort: http}]}
`, i)
	}
	files["base/kustomization.yaml"] = "resources:\n" + list.String()
	return files
}

// BenchmarkRatio renders an application and builds it with the bare library,
// one after the other, and reports how many times as long a render takes.
func BenchmarkRatio(b *testing.B) {
	s := setup{files: overlay()}
	onDisk := filesys.MakeFsInMemory()
	for name, text := range s.files {
		if err := onDisk.WriteFile("/"+name, []byte(text)); err != nil {
			b.Fatal(err)
		}
	}
	bare := func() {
		o := krusty.MakeDefaultOptions()
		o.Reorder = krusty.ReorderOptionUnspecified
		m, err := krusty.MakeKustomizer(o).Run(onDisk, "/app")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := m.AsYaml(); err != nil {
			b.Fatal(err)
		}
	}
	bare() // reads the schema
	src := s.source(b)
	r := New(Options{})
	var ours, theirs time.Duration
	for b.Loop() {
		began := time.Now()
		bare()
		theirs += time.Since(began)
		began = time.Now()
		if _, err := r.Render(b.Context(), src); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(began)
	}
	b.ReportMetric(float64(ours)/float64(theirs), "ratio")
}
