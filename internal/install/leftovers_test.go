package install

import (
	"slices"
	"testing"

	"github.com/causeway-gitops/causeway/internal/bootstrap"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// TestLeftoversKnowTheChart holds the list of kinds to what the chart makes: of
// a kind that is missing there, nothing would ever be taken away.
func TestLeftoversKnowTheChart(t *testing.T) {
	everything := `
podDisruptionBudget: {enabled: true}
networkPolicy: {enabled: true}
monitoring: {serviceMonitor: true, alerts: true, dashboard: true}
declaredClusters: {enabled: true}
destination: {rules: [{apiGroups: [""], resources: ["*"], verbs: [get]}], namespaces: [a]}
applications: {namespaces: [b]}
bridge: {clusterMetadata: {enabled: true}, metadataSchemas: {enabled: true}, sources: {secrets: [c]}}
generators: {secrets: [d]}
`
	engine := bootstrap.Engine{Namespace: "argocd", Files: []bootstrap.Values{{Name: "values.yaml", Text: []byte(everything)}}}
	objects, err := engine.Objects(gitops.Facts{KubeVersion: "1.33.0"})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if !slices.Contains(chartKinds(), o.GroupVersionKind()) {
			t.Errorf("%s %s would never be taken away", o.GroupVersionKind(), o.GetName())
		}
	}
}
