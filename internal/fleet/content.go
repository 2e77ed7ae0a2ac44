package fleet

import "github.com/causeway-gitops/causeway/internal/gitops"

// Follow has each change of an object's content told from now on, until a
// write gives the object another form. It is for objects that differ from what
// is desired, or of which others own what an apply would make ours: who changes
// such a field, or changes it back, leaves the fingerprint as it is.
func (c *Cluster) Follow(live *gitops.Live) {
	for _, r := range c.runningWatches() {
		if r.store.gvk.GroupKind() == live.Version.GroupKind() && r.watches(live.Key.Namespace, c.Desc()) {
			r.store.follow(live)
		}
	}
}

// follow takes the content of an object that was read. What is told is a
// change that came after that: what the object holds by now is not known.
func (s *store) follow(live *gitops.Live) {
	p, read := place{live.Key.Namespace, live.Key.Name}, revisionOf(live.ResourceVersion)
	s.mu.Lock()
	var changed []string
	switch e := s.entries[p]; {
	case e == nil || e.live.UID != live.UID: // it is told when it comes
	case e.live.Content == live.Content:
	case e.revision > read:
		changed = s.concerned(p, e)
	default:
		next := *e.live
		next.Content = live.Content
		e.live = &next
	}
	s.mu.Unlock()
	s.tellAll(changed, live.Key)
}

// follows reports whether the content of an object counts.
func (s *store) follows(p place) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	e := s.entries[p]
	return e != nil && e.live.Content != ""
}
