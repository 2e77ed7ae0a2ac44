package fleet

import "time"

// ClusterState tells a person how a cluster fares.
type ClusterState struct {
	Reachable bool
	// Version is the API server's, such as v1.36.3; empty when not known.
	Version string
	// Err is why the cluster is not reachable, or cannot be used, or why what it
	// serves now is not known.
	Err error
	// LastSuccess is when the cluster answered last.
	LastSuccess time.Time
	// Latency of the last probe.
	Latency time.Duration
	// Since is when it began to answer, or ceased to; Next when it is tried
	// again, zero while it answers.
	Since, Next time.Time
	// Closed tells that requests are refused until a probe has an answer.
	Closed bool
	// Trips counts how often requests without an answer made it so.
	Trips int
	// InFlight counts requests, without watches.
	InFlight int
	// Kinds counts what it serves; FailedGroups are APIs that are there but did
	// not answer when it was asked for its kinds last: the first of them, and
	// MoreFailed counts the others.
	Kinds        int
	FailedGroups []string
	MoreFailed   int
	// WatchedKinds counts watches; Objects those of applications, Others the
	// rest of what is watched.
	WatchedKinds, Objects, Others int
	// Awaited counts what applications wait for: kinds that are not served, and
	// objects that they depend on, once for each application and place.
	Awaited int
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
		Since: c.link.since, Next: c.link.next, Closed: c.link.closed, Trips: c.link.trips, InFlight: len(c.slots),
	}
	err := c.link.err
	c.link.mu.Unlock()
	s.Err = c.problem("get /version", err)
	if found := c.catalog.found.Load(); found != nil {
		s.Kinds, s.FailedGroups, s.MoreFailed = found.kinds, found.failed, found.more
		if s.Err == nil {
			s.Err = c.problem("get /apis", found.refused)
		}
	}
	for _, r := range c.runningWatches() {
		entries, marks := r.store.size()
		s.WatchedKinds++
		s.Objects += entries
		s.Others += marks
		s.Awaited += r.store.heeds.size()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Awaited += c.waits.size()
	return s
}
