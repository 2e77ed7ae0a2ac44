package state

import (
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/causeway-gitops/causeway/internal/gitops"
)

// An object that something else keeps changing back is healed this often in a
// window; then it rests for the remainder of it. Other objects of the
// application are healed at once all the same.
const (
	healsAllowed = 5
	healWindow   = time.Minute
)

// Heal notes that an object is about to be healed. A positive pause means
// that it has been healed too often and has to wait that long.
func (s *Attempts) Heal(name types.NamespacedName, key gitops.Key, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep(now)
	if s.heals[name] == nil {
		s.heals[name] = map[gitops.Key][]time.Time{}
	}
	recent := within(s.heals[name][key], now)
	s.heals[name][key] = recent
	if len(recent) >= healsAllowed {
		return healWindow - now.Sub(recent[0])
	}
	s.heals[name][key] = append(recent, now)
	return 0
}

// within is when an object was healed in the window, for a clock that is set back, too:
// what lies a little ahead of it has just been, so that nothing rests for longer than the
// window, and what is further away says nothing.
func within(healed []time.Time, now time.Time) []time.Time {
	recent := slices.DeleteFunc(healed, func(at time.Time) bool { return now.Sub(at).Abs() > healWindow })
	for i, at := range recent {
		if at.After(now) {
			recent[i] = now
		}
	}
	return recent
}

// sweep drops, once in a window, the objects that were not healed within it: they
// come and go, while their application stays. The lock is held.
func (s *Attempts) sweep(now time.Time) {
	if now.Sub(s.swept).Abs() <= healWindow {
		return
	}
	s.swept = now
	for _, objects := range s.heals {
		maps.DeleteFunc(objects, func(_ gitops.Key, at []time.Time) bool { return now.Sub(at[len(at)-1]).Abs() > healWindow })
	}
}
