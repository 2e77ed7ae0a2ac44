package generate

import (
	"context"
	"fmt"
	"testing"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// fleetOf is a fleet with the metadata that addon repositories use.
func fleetOf(n int) fakeClusters {
	out := make(fakeClusters, n)
	for i := range out {
		name := fmt.Sprintf("cluster-%04d", i)
		out[i] = gitops.Cluster{
			Name: name, Server: "https://" + name + ".example.com", Secret: name,
			Labels: map[string]string{
				"environment": []string{"dev", "staging", "prod"}[i%3], "enable_metrics_server": "true",
				secretTypeLabel: "cluster",
			},
			Annotations: map[string]string{
				"addons_repo_url": "https://git.example.com/org/addons", "addons_repo_revision": "main",
				"addons_repo_basepath": "gitops/", "region": "eu-west-1",
			},
		}
	}
	return out
}

const addonFast = `
metadata: {name: metrics-server, namespace: argocd}
spec:
  syncPolicy: {preserveResourcesOnDeletion: true}
  generators:
  - merge:
      mergeKeys: [server]
      generators:
      - clusters:
          values: {addonChart: metrics-server, addonChartVersion: 3.12.0, addonChartRepository: https://charts.example.com}
          selector: {matchExpressions: [{key: enable_metrics_server, operator: In, values: ["true"]}]}
      - clusters: {selector: {matchLabels: {environment: staging}}, values: {addonChartVersion: 3.12.1}}
      - clusters: {selector: {matchLabels: {environment: prod}}, values: {addonChartVersion: 3.12.2}}
  template:
    metadata: {name: 'addon-{{name}}-{{values.addonChart}}'}
    spec:
      project: default
      sources:
      - {repoURL: '{{metadata.annotations.addons_repo_url}}', targetRevision: '{{metadata.annotations.addons_repo_revision}}', ref: values}
      - chart: '{{values.addonChart}}'
        repoURL: '{{values.addonChartRepository}}'
        targetRevision: '{{values.addonChartVersion}}'
        helm:
          releaseName: '{{values.addonChart}}'
          ignoreMissingValueFiles: true
          valueFiles:
          - $values/{{metadata.annotations.addons_repo_basepath}}environments/default/addons/{{values.addonChart}}/values.yaml
          - $values/{{metadata.annotations.addons_repo_basepath}}environments/{{metadata.labels.environment}}/addons/{{values.addonChart}}/values.yaml
          - $values/{{metadata.annotations.addons_repo_basepath}}clusters/{{name}}/addons/{{values.addonChart}}/values.yaml
          valuesObject: {region: '{{metadata.annotations.region}}', replicas: 2}
      destination: {namespace: kube-system, name: '{{name}}'}
      syncPolicy: {automated: {}, syncOptions: [CreateNamespace=true]}
`

const addonGo = `
metadata: {name: metrics-server, namespace: argocd}
spec:
  goTemplate: true
  goTemplateOptions: [missingkey=error]
  generators:
  - merge:
      mergeKeys: [server]
      generators:
      - clusters:
          values: {addonChart: metrics-server, addonChartVersion: 3.12.0}
          selector: {matchExpressions: [{key: enable_metrics_server, operator: In, values: ["true"]}]}
      - clusters: {selector: {matchLabels: {environment: staging}}, values: {addonChartVersion: 3.12.1}}
      - clusters: {selector: {matchLabels: {environment: prod}}, values: {addonChartVersion: 3.12.2}}
  template:
    metadata: {name: 'addon-{{.name}}-{{.values.addonChart}}', labels: {env: '{{.metadata.labels.environment | upper}}'}}
    spec:
      project: default
      source:
        chart: '{{.values.addonChart}}'
        repoURL: https://charts.example.com
        targetRevision: '{{.values.addonChartVersion}}'
        helm:
          releaseName: '{{.values.addonChart}}'
          valuesObject: {region: '{{.metadata.annotations.region}}', replicas: 2}
      destination: {namespace: kube-system, name: '{{.name}}'}
  templatePatch: |
    spec:
      syncPolicy:
        automated:
          prune: {{ eq .metadata.labels.environment "dev" }}
`

func BenchmarkClusters1000(b *testing.B) {
	for name, text := range map[string]string{"fast": addonFast, "go": addonGo} {
		b.Run(name, func(b *testing.B) {
			g := New(fleetOf(1000), fakeRepos{}, anyProject{})
			set := parseSet(b, text)
			for b.Loop() {
				exp, err := g.Applications(context.Background(), set)
				if err != nil || len(exp.Applications) != 1000 {
					b.Fatalf("%d Applications, error %v", len(exp.Applications), err)
				}
			}
		})
	}
}
