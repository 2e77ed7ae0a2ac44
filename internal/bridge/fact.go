package bridge

// OfCluster is the source of what a cluster tells of itself.
const OfCluster = "cluster"

// Fact is what a cluster tells of itself: its version, its APIs, or what its nodes
// say. It is no key, and nobody reads it, before a ClusterMetadata makes one of it.
type Fact struct {
	// Name is as in ClusterMetadata: kubernetesVersion.
	Name   string `json:"fact"`
	Value  string `json:"value"`
	Type   Type   `json:"type"`
	Source string `json:"source"`
}
