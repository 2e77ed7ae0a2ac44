package externalsecret

import (
	"k8s.io/apimachinery/pkg/types"

	esv1 "github.com/causeway-gitops/causeway/api/externalsecrets/v1"
)

// Meter is told how refreshes end, and how ExternalSecrets stand.
type Meter interface {
	Refreshed(err error)
	Standing(ready, failed int)
}

// standing is how many ExternalSecrets are as their last refresh left them.
type standing struct {
	is    map[types.NamespacedName]bool
	ready int
}

// set notes how one stands.
func (s *standing) set(name types.NamespacedName, ready bool) {
	s.drop(name)
	s.is[name] = ready
	if ready {
		s.ready++
	}
}

func (s *standing) drop(name types.NamespacedName) {
	if s.is[name] {
		s.ready--
	}
	delete(s.is, name)
}

// stands tells how one stands, by its status.
func (r *Reconciler) stands(one *esv1.ExternalSecret) {
	for _, c := range one.Status.Conditions {
		if c.Type == conditionReady {
			r.measure(func(s *standing) { s.set(nameOf(one), c.Status == "True") })
		}
	}
}

func (r *Reconciler) measure(change func(*standing)) {
	if r.Meter == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock() // so that no older count comes after this one
	change(&r.standing)
	r.Meter.Standing(r.standing.ready, len(r.standing.is)-r.standing.ready)
}
