package rows

import (
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/target"
	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/local/fleetstatus"
	"github.com/causeway-gitops/causeway/internal/server/clusters"
)

// TestPausedClusterIsListed has a cluster that is left alone, as its Secret or
// a server tells.
func TestPausedClusterIsListed(t *testing.T) {
	here := target.Spoke{Cluster: gitops.Cluster{Name: "prod", Annotations: map[string]string{v1alpha1.AnnotationSkipReconcile: "true"}}}
	for what, got := range map[string]Row{
		"by its Secret": ClusterRow(here, fleetstatus.Tally{}, Answer{State: "reachable"}, nil, nil),
		"by a server":   servedCluster(&clusters.Health{Name: "prod", Reachable: true, Paused: true}, fleetstatus.Tally{}),
	} {
		view, ok := got.Object.(clusterView)
		if !ok || !view.Paused || got.Cells[2] != "reachable, paused" {
			t.Errorf("a cluster that is paused, %s, is listed as %v", what, got.Cells)
		}
	}
}
