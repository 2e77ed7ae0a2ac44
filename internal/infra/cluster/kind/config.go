package kind

import (
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

// Config is what kind is told: one control plane, and as many workers as are
// asked for.
func Config(spec causeway.KindCluster) *v1alpha4.Cluster {
	out := &v1alpha4.Cluster{TypeMeta: v1alpha4.TypeMeta{APIVersion: "kind.x-k8s.io/v1alpha4", Kind: "Cluster"}}
	out.Nodes = append(out.Nodes, v1alpha4.Node{Role: v1alpha4.ControlPlaneRole, Image: spec.Image})
	for range spec.Workers {
		out.Nodes = append(out.Nodes, v1alpha4.Node{Role: v1alpha4.WorkerRole, Image: spec.Image})
	}
	return out
}
