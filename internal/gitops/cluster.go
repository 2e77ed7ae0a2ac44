package gitops

// Cluster describes one cluster of the fleet as its Secret does. It holds no
// credentials: those stay in the fleet package.
type Cluster struct {
	// Name and Server are as written in the Secret's data.
	Name   string
	Server string
	// Secret is the name of the Secret; empty for a hub without one.
	Secret string
	// Source is the ClusterSource that made the Secret; empty for what somebody
	// described.
	Source string
	// Project is the AppProject that the cluster is scoped to, if any.
	Project string
	// Labels and Annotations are the bridge's metadata.
	Labels      map[string]string
	Annotations map[string]string
	// Namespaces limits the engine to these namespaces; empty means all.
	Namespaces []string
	// ClusterResources allows cluster-scoped objects although Namespaces is set.
	ClusterResources bool
}

// Answers reports whether a destination by a name may mean the cluster. The name
// of the hub means the hub alone: who may describe a cluster could otherwise have
// what is meant for the hub sent elsewhere, or refused.
func (c Cluster) Answers(name string) bool {
	return c.Name == name && !c.Misnamed()
}

// Misnamed reports whether a cluster has the name of the hub and is another one.
func (c Cluster) Misnamed() bool { return c.Name == HubName && !ReachesHub(c.Server) }

// Facts are what rendering may know of a destination cluster.
type Facts struct {
	// KubeVersion has the form "1.36.3" (no leading v).
	KubeVersion string
	// APIVersions lists "group/version" and "group/version/Kind", sorted.
	APIVersions []string
}

// Scope reports whether objects of a kind live in a namespace. Known is false
// for a kind that the cluster does not serve (yet).
type Scope func(group, kind string) (namespaced, known bool)
