package gitops

// ClusterChange is what differs of a cluster's Secret.
type ClusterChange struct {
	Secret string
	// Whole tells that it concerns whatever reads clusters: the cluster is new or gone,
	// or it is called, reached or limited in another way.
	Whole bool
	// Keys are the labels and annotations that differ, as parameters of an
	// ApplicationSet: metadata.labels.environment.
	Keys []string
	// Meant are the clusters that destinations named, or name by now, where they mean
	// something else than before.
	Meant []Cluster
}
