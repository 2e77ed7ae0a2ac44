package bulkhead

// Owner is to whom the work on an object belongs; each part may be empty.
type Owner struct {
	// Cluster is the address of the server that it needs.
	Cluster string
	// Project is that of the object.
	Project string
}

// keys count workers: a cluster that hangs leaves room to the project's
// others, and a project that is busy to the cluster's others.
func (o Owner) keys() []key {
	out := []key{{"project " + o.Project, quarters}}
	if o.Cluster != "" {
		out = append(out, key{"cluster " + o.Cluster, quarters}, key{"cluster " + o.Cluster + " project " + o.Project, half})
	}
	return out
}

// waiting are the keys of those that wait for a host.
func (o Owner) waiting(host string) []key {
	return []key{{"project " + o.Project, quarters}, {"host " + host + " project " + o.Project, half}}
}
