package clitest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"github.com/causeway-gitops/causeway/internal/cli/command"
)

// FleetURL is where the repository of NewFleet is.
const FleetURL = "https://git.example.com/acme/fleet"

// NewFleet makes a checkout with a set over two clusters, one of which lacks an annotation, and a chart that cannot be had.
func NewFleet(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files := map[string]string{
		"set.yaml": `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators: [{clusters: {selector: {matchLabels: {web: "on"}}}}]
  template:
    metadata: {name: 'web-{{name}}', annotations: {region: '{{metadata.annotations.region}}'}}
    spec:
      project: default
      source: {repoURL: ` + FleetURL + `, path: web, targetRevision: HEAD}
      destination: {name: '{{name}}', namespace: web}
`,
		"web/cm.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {key: old}\n",
		"db.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: db, namespace: argocd}\nspec:\n  project: default\n" +
			"  source: {repoURL: 'https://charts.example.com', chart: db, targetRevision: 1.2.3}\n  destination: {name: dev, namespace: db}\n",
		"clusters/dev.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: dev\n  labels: {argocd.argoproj.io/secret-type: cluster, web: 'on'}\n" +
			"  annotations: {region: eu}\nstringData: {name: dev, server: 'https://dev.example.com'}\n",
		"clusters/prod.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: prod\n  labels: {argocd.argoproj.io/secret-type: cluster, web: 'on'}\n" +
			"stringData: {name: prod, server: 'https://prod.example.com'}\n",
	}
	Write(t, dir, files)
	Git(t, dir, "init", "-q", "-b", "main")
	Git(t, dir, "remote", "add", "origin", FleetURL)
	Commit(t, dir, nil)
	return dir
}

// NewShop is NewFleet with a chart whose values come from the clusters.
func NewShop(t *testing.T) (dir string) {
	t.Helper()
	dir = NewFleet(t)
	Write(t, dir, map[string]string{
		"chart.yaml": `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: shop, namespace: argocd}
spec:
  generators:
  - clusters: {selector: {matchLabels: {enable_shop: "true"}}}
  template:
    metadata: {name: 'shop-{{name}}'}
    spec:
      project: default
      source:
        repoURL: ` + FleetURL + `
        path: chart
        targetRevision: HEAD
        helm:
          ignoreMissingValueFiles: true
          valueFiles: ['values-{{metadata.labels.environment}}.yaml']
          values: |
            image:
              tag: {{metadata.annotations.shop_tag}}
            region: '{{metadata.annotations.regoin}}'
          parameters: [{name: replicas, value: '{{metadata.annotations.shop_replicas}}'}]
      destination: {name: '{{name}}', namespace: shop}
`,
		"chart/Chart.yaml":              "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
		"chart/values.yaml":             "replicas: 1\nimage: {tag: none}\nregion: none\nlevel: info\n",
		"chart/values-prod.yaml":        "level: error\n",
		"chart/templates/deploy.yaml":   "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: {{ .Values.replicas }}\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: 'web:{{ .Values.image.tag }}'}]}\n",
		"chart/templates/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {level: {{ .Values.level }}, region: '{{ .Values.region }}'}\n",
		"clusters/prod.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: prod\n  labels: {argocd.argoproj.io/secret-type: cluster, enable_shop: 'true', environment: prod}\n" +
			"  annotations: {region: eu, shop_tag: 1.2.3, shop_replicas: '3', owner: team-a}\nstringData: {name: prod, server: 'https://prod.example.com'}\n",
	})
	return dir
}

// Write writes files below a folder, by their names.
func Write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o750), os.WriteFile(full, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// Commit writes files of a checkout, and commits what differs in it.
func Commit(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	Write(t, dir, files)
	Git(t, dir, "add", "-A")
	Git(t, dir, "commit", "-q", "-m", "one")
}

// Look runs a command about a checkout and the clusters that it describes, away from any network.
func Look(t *testing.T, made func(*command.Global) *cobra.Command, dir string, args ...string) Left {
	t.Helper()
	return Run(t, made, append([]string{"--repo", dir, "--clusters", filepath.Join(dir, "clusters"), "--no-fetch", "--cache-dir", t.TempDir()}, args...)...)
}
