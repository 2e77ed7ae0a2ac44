package fleet

import "time"

// ClusterState tells a person how a cluster fares.
type ClusterState struct {
	Reachable bool
	// Version is the API server's, such as v1.36.3; empty when not known.
	Version string
	// Err is why the cluster is not reachable, or cannot be used.
	Err error
	// LastSuccess is when the cluster answered last.
	LastSuccess time.Time
	// Latency of the last probe.
	Latency time.Duration
	// WatchedKinds counts watches; Objects those of applications, Others the
	// rest of what is watched.
	WatchedKinds, Objects, Others int
}

// State returns how the cluster fares, from memory.
func (c *Cluster) State() ClusterState {
	if c.broken != nil {
		return ClusterState{Err: c.broken}
	}
	c.link.mu.Lock()
	s := ClusterState{
		Reachable: c.link.up, Version: c.link.version,
		LastSuccess: c.link.success, Latency: c.link.latency,
	}
	err := c.link.err
	c.link.mu.Unlock()
	s.Err = c.problem("get /version", err)
	for _, r := range c.runningWatches() {
		entries, marks := r.store.size()
		s.WatchedKinds++
		s.Objects += entries
		s.Others += marks
	}
	return s
}
